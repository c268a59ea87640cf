package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Objects;

import dev.sluice.lab.kit.cell.Cell;

/**
 * Whether the cells of a scenario meet its limits.
 *
 * @param name the scenario's
 * @param question the question that it answers
 * @param limits in words; empty if it has none
 * @param judgements one for each cell, in the order they were run
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
	 * @param cell which
	 * @param missed limits that it does not meet, in words with its figures
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
