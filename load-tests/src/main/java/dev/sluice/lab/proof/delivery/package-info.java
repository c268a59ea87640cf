/**
 * Proofs about the delivery of accepted orders. Start at
 * {@link dev.sluice.lab.proof.delivery.OutageProof}.
 */
@NullMarked
package dev.sluice.lab.proof.delivery;

import org.jspecify.annotations.NullMarked;
