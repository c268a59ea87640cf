package dev.sluice.lab.compare;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;

/** What came out, in sentences. */
final class SummarySection extends Section {

	SummarySection() {
		super("summary", "Can a gateway take orders faster than its backend saves them?");
	}

	@Override
	public List<String> answers(RunResult run) {
		return List.of(new Findings(run).answer());
	}

	@Override
	public void write(RunResult run, Html html) {
		Findings findings = new Findings(run);
		html.element("p", findings.answer(), "class", "answer");
		html.list(findings.sentences());
		html.element("p",
				"These sentences are derived from the figures by fixed rules: “collapsed” ends below %s of its peak, “held” never drops more than %s below the best value at a smaller load, “sagged” is between. N is the number of orders; the configuration says how many are in flight at most; a load run more than once counts with its median."
					.formatted(Figures.percent(Curve.COLLAPSED_BELOW), Figures.percent(Curve.HELD_WITHIN)),
				"class", "note");
	}

}
