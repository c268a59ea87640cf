package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;

/**
 * The findings of {@code lab prove}.
 *
 * @param proofs in the order they were run
 */
@JsonTypeName("prove")
public record ProveResult(List<ProofResult> proofs) implements Finding {

	public ProveResult {
		proofs = List.copyOf(proofs);
	}

}
