/**
 * {@code lab prove}: tests the system's promises, claim by claim. Start at
 * {@link dev.sluice.lab.proof.ProveExperiment}, which runs the claims one after another,
 * each a {@link dev.sluice.lab.proof.claim.Proof} on a
 * {@link dev.sluice.lab.proof.claim.TestBed} of its own.
 */
@NullMarked
package dev.sluice.lab.proof;

import org.jspecify.annotations.NullMarked;
