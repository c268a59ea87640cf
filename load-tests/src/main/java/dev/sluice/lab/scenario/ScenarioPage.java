package dev.sluice.lab.scenario;

import java.util.List;

import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
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
		return new Section("scenario", "Scenario " + scenario.name(), (html) -> write(scenario, html));
	}

	private static void write(ScenarioResult scenario, Html html) {
		html.element("p", scenario.question(), "class", "answer");
		if (scenario.limits().isEmpty()) {
			html.paragraph("It has no limits to keep.");
			return;
		}
		List<Judgement> judgements = scenario.judgements();
		html.paragraph("Limits: %s. Kept in %s of %s cells.".formatted(String.join(", ", scenario.limits()),
				Figures.count(judgements.stream().filter(Judgement::kept).count()), Figures.count(judgements.size())));
		html.table(Table.of("Each cell against the limits", judgements,
				List.of(Column.words("Variant", (each) -> each.cell().variant()),
						Column.words("Mode", (each) -> each.cell().mode()),
						Column.words("Missed", (each) -> each.kept() ? "nothing" : String.join("; ", each.missed())),
						Column.count("N", (each) -> each.cell().load().size()),
						Column.count("repetition", (each) -> each.cell().repetition()))));
	}

}
