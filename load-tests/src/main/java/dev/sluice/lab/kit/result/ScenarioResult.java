package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Objects;

import dev.sluice.lab.kit.cell.Cell;

/**
 * Whether the cells of a scenario meet its limits.
 *
 * @param question the question that it answers
 * @param limits in words
 * @param judgements one per cell, in order of execution
 */
public record ScenarioResult(String name, String question, List<String> limits, List<Judgement> judgements) {

	public ScenarioResult {
		Objects.requireNonNull(name, "name");
		Objects.requireNonNull(question, "question");
		limits = List.copyOf(limits);
		judgements = List.copyOf(judgements);
	}

	/**
	 * A cell compared with the limits.
	 *
	 * @param missed limits that it misses, in words
	 */
	public record Judgement(Cell cell, List<String> missed) {

		public Judgement {
			missed = List.copyOf(missed);
		}

		public boolean kept() {
			return this.missed.isEmpty();
		}

	}

}
