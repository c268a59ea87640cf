/**
 * What a proof is and what it works on. Start at
 * {@link dev.sluice.lab.proof.claim.Proof}.
 */
@NullMarked
package dev.sluice.lab.proof.claim;

import org.jspecify.annotations.NullMarked;
