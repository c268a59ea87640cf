package dev.sluice.lab.scenario;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.ScenarioResult;
import dev.sluice.lab.kit.result.ScenarioResult.Judgement;

/** A scenario's question, and which cells meet its limits. */
public final class ScenarioSection extends Section {

	private final ScenarioResult scenario;

	public ScenarioSection(ScenarioResult scenario) {
		super("scenario", "Scenario " + scenario.name());
		this.scenario = scenario;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p", this.scenario.question(), "class", "answer");
		if (this.scenario.limits().isEmpty()) {
			html.element("p", "It has no limits to keep.");
			return;
		}
		List<Judgement> judgements = this.scenario.judgements();
		html.element("p", "Limits: %s. Kept in %s of %s cells.".formatted(String.join(", ", this.scenario.limits()),
				Figures.count(judgements.stream().filter(Judgement::kept).count()), Figures.count(judgements.size())));
		Table table = new Table("Each cell against the limits", 3,
				List.of("Variant", "Mode", "Missed", "N", "repetition"));
		judgements.forEach((judgement) -> table.row(judgement.cell().variant(), judgement.cell().mode(),
				judgement.kept() ? "nothing" : String.join("; ", judgement.missed()),
				Figures.count(judgement.cell().load().size()), Figures.count(judgement.cell().repetition())));
		table.write(html);
	}

}
