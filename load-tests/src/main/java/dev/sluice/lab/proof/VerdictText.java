package dev.sluice.lab.proof;

import java.util.List;

import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProofResult.Check;

/** Proofs and their checks as text. */
final class VerdictText {

	private VerdictText() {
	}

	static String of(List<ProofResult> proofs) {
		StringBuilder text = new StringBuilder();
		for (ProofResult proof : proofs) {
			text.append("%s: %s%n".formatted(proof.proof(), Verdicts.of(proof)));
			for (Check check : proof.checks()) {
				text.append("  %-6s %s: %s (must be %s)%n".formatted(check.holds() ? "ok" : "FAILED", check.what(),
						Verdicts.measured(check), Verdicts.limit(check)));
			}
		}
		return text.toString();
	}

}
