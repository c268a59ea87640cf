/**
 * The sections of {@code lab chaos}. Start at
 * {@link dev.sluice.lab.report.chaos.ChaosSections}.
 */
@NullMarked
package dev.sluice.lab.report.chaos;

import org.jspecify.annotations.NullMarked;
