package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;

/**
 * What {@code lab prove} found.
 *
 * @param proofs in the order they were run
 */
@JsonTypeName("prove")
public record ProveResult(List<ProofResult> proofs) implements Finding {

	public ProveResult {
		proofs = List.copyOf(proofs);
	}

}
