package dev.sluice.lab.causes;

import dev.sluice.lab.causes.Conclusions.Effect;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.CausesResult;

/** The settings as a text table of 100 columns; rates are medians of the trials. */
final class CausesText {

	private CausesText() {
	}

	static String of(CausesResult result) {
		Conclusions conclusions = new Conclusions(result);
		StringBuilder text = new StringBuilder("%-52s %11s %11s %11s %11s%n".formatted("Orders answered per second",
				"N = " + Figures.count(result.few()), "N = " + Figures.count(result.many()), "of the base",
				"GC stopped"));
		for (CausesResult.FactorLevels setting : result.settings()) {
			Effect many = conclusions.at(setting.name(), result.many()).orElse(null);
			text.append("%-52s %11s %11s %11s %11s%n".formatted(setting.name(),
					Figures.measured(conclusions.at(setting.name(), result.few()).map(Effect::perSecond).orElse(null)),
					Figures.measured((many != null) ? many.perSecond() : null),
					Conclusions.percent((many != null) ? conclusions.left(many) : null),
					Conclusions.percent((many != null) ? many.pauseShare() : null)));
		}
		return text.toString();
	}

}
