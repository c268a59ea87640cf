/**
 * {@code lab prove}: what the system promises, put to the test claim by claim. Start at
 * {@link dev.sluice.lab.proof.claim.Proof}; each implementation is one claim with what it must
 * reach, and {@link dev.sluice.lab.proof.ProveExperiment} runs them one after another,
 * each on a {@link dev.sluice.lab.proof.claim.TestBed} of its own.
 */
@NullMarked
package dev.sluice.lab.proof;

import org.jspecify.annotations.NullMarked;
