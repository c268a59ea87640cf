/**
 * Proofs and their environment. Start at {@link dev.sluice.lab.proof.claim.Proof}.
 */
@NullMarked
package dev.sluice.lab.proof.claim;

import org.jspecify.annotations.NullMarked;
