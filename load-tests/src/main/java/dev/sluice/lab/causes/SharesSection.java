package dev.sluice.lab.causes;

import java.util.List;
import java.util.Optional;

import dev.sluice.lab.causes.Effects.Effect;
import dev.sluice.lab.causes.Effects.Portion;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/** Each factor's share of the loss of all factors together. */
final class SharesSection extends Section {

	private final Effects effects;

	SharesSection(Effects effects) {
		super("shares", "Which factor has which share of the loss?");
		this.effects = effects;
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Portion> portions = this.effects.portions();
		Optional<Effect> all = this.effects.at(this.effects.result().all(), this.effects.result().many());
		if (portions.isEmpty() || all.isEmpty()) {
			html.element("p", "The base, or all factors at once, were not measured, or nothing was lost.");
			return;
		}
		html.element("p",
				"All at once keep %s of the base's rate at N = %s: %s. A share is the logarithm of what a factor divides the rate by, over that of what all divide it by: losses that multiply then add up. Alone: the base against the base with the factor. Last: all but the factor against all. Where the two differ, the factor's cost depends on the others."
					.formatted(Conclusions.percent(this.effects.left(all.get())),
							Figures.count(this.effects.result().many()),
							String.join(", ",
									all.get()
										.setting()
										.changes()
										.entrySet()
										.stream()
										.map((change) -> "%s %s".formatted(change.getKey(), change.getValue()))
										.sorted()
										.toList())));
		Table table = new Table("Shares of the loss", 1, List.of("Factor", "alone", "last"));
		portions.forEach((portion) -> table.row(portion.factor(), Conclusions.percent(portion.alone()),
				Conclusions.percent(portion.last())));
		table.write(html);
	}

}
