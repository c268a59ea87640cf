/**
 * Proofs of what gateways do with requests: bad ones, slow ones, repeated ones. Start at
 * {@link dev.sluice.lab.proof.requests.KeyProof}.
 */
@NullMarked
package dev.sluice.lab.proof.requests;

import org.jspecify.annotations.NullMarked;
