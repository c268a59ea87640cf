package dev.sluice.lab.proof;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProofResult.Check;

/** Limits and results in words. */
final class Verdicts {

	private Verdicts() {
	}

	/** The verdict on a whole proof. */
	static String of(ProofResult proof) {
		if (proof.problem() != null) {
			return "broke off: " + proof.problem();
		}
		long failed = proof.checks().stream().filter((check) -> !check.holds()).count();
		return proof.holds() ? "holds" : "does not hold (%s of %s checks)".formatted(Figures.count(failed),
				Figures.count(proof.checks().size()));
	}

	/** The check's limit. */
	static String limit(Check check) {
		String limit = figure(check.limit(), check.unit());
		return switch (check.bound()) {
			case AT_MOST -> "at most " + limit;
			case EXACTLY -> limit;
			case AT_LEAST -> "at least " + limit;
		};
	}

	/** The measured value. */
	static String measured(Check check) {
		Double measured = check.measured();
		return (measured != null) ? figure(measured, check.unit()) : "never";
	}

	private static String figure(double value, String unit) {
		String figure = (value == Math.rint(value)) ? Figures.count(Math.round(value)) : Figures.measured(value);
		return unit.isEmpty() ? figure : figure + " " + unit;
	}

}
