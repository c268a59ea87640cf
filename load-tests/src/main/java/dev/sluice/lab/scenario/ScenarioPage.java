package dev.sluice.lab.scenario;

import java.util.List;

import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ScenarioResult;
import dev.sluice.lab.kit.result.ScenarioResult.Judgement;

/**
 * What {@code lab scenario} shows first: its question, and which cells keep its limits.
 */
public final class ScenarioPage {

	private ScenarioPage() {
	}

	/** The first section of a scenario's report. */
	public static Section section(ScenarioResult scenario) {
		return new Section("scenario", "Scenario " + scenario.name(), List.of(scenario.question(), limits(scenario)),
				List.of(judgements(scenario)), (_) -> {
				});
	}

	private static String limits(ScenarioResult scenario) {
		return scenario.limits().isEmpty() ? "It has no limits to keep."
				: "Limits: %s. Kept in %s of %s cells.".formatted(String.join(", ", scenario.limits()),
						Figures.count(scenario.judgements().stream().filter(Judgement::kept).count()),
						Figures.count(scenario.judgements().size()));
	}

	private static Table judgements(ScenarioResult scenario) {
		return Table.of("Each cell that others did not disturb against the limits", scenario.judgements(),
				List.of(Column.words("Variant", (each) -> each.cell().variant()),
						Column.words("Mode", (each) -> each.cell().mode()),
						Column.words("Missed", (each) -> each.kept() ? "nothing" : String.join("; ", each.missed())),
						Column.words("load", (each) -> each.cell().load().toString()),
						Column.count("repetition", (each) -> each.cell().repetition())));
	}

}
