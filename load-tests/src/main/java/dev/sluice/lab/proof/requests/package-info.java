/**
 * Proofs about requests to gateways: bad, slow and repeated ones. Start at
 * {@link dev.sluice.lab.proof.requests.KeyProof}.
 */
@NullMarked
package dev.sluice.lab.proof.requests;

import org.jspecify.annotations.NullMarked;
