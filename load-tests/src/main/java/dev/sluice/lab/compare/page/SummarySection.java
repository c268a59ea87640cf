package dev.sluice.lab.compare.page;

import java.util.List;

import dev.sluice.lab.compare.figures.Bottlenecks;
import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;

/** Which mode for which load. */
final class SummarySection extends Section {

	private static final String NO_PAIR = "No load was measured in both modes.";

	SummarySection() {
		super("summary", "Which mode for which load?");
	}

	@Override
	public List<String> answers(RunResult run) {
		List<ModeByLoad> loads = ModeByLoad.of(List.of(run));
		return loads.isEmpty() ? List.of(NO_PAIR) : ModeByLoad.sentences(loads);
	}

	@Override
	public void write(RunResult run, Html html) {
		List<ModeByLoad> loads = ModeByLoad.of(List.of(run));
		if (loads.isEmpty()) {
			html.element("p", NO_PAIR, "class", "answer");
			return;
		}
		ModeOverview.write(loads, html);
		if (!BottleneckSection.appliesTo(run)) {
			html.list(new Bottlenecks(run).sentences(run));
		}
		html.open("details").element("summary", "How this is decided");
		html.element("p", ModeOverview.rule(), "class", "note");
		html.close();
	}

}
