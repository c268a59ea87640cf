/**
 * The sections of {@code lab prove}. Start at
 * {@link dev.sluice.lab.report.proof.ProofSections}.
 */
@NullMarked
package dev.sluice.lab.report.proof;

import org.jspecify.annotations.NullMarked;
