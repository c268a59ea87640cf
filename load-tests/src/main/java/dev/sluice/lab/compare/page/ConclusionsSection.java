package dev.sluice.lab.compare.page;

import dev.sluice.lab.compare.figures.Conclusions;
import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;

/** Further conclusions, in sentences. */
final class ConclusionsSection extends Section {

	ConclusionsSection() {
		super("findings", "What else the figures say");
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(new Conclusions(run).sentences());
		html.element("p",
				"By fixed rules: “collapsed” ends below %s of its peak, “held” never drops more than %s below the best value at a smaller load, “sagged” is between. A load run more than once counts with its median."
					.formatted(Figures.percent(Curve.COLLAPSED_BELOW), Figures.percent(Curve.HELD_WITHIN)),
				"class", "note");
	}

}
