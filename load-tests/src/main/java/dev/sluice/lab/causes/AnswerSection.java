package dev.sluice.lab.causes;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import dev.sluice.lab.causes.Effects.Effect;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The conclusions, and the rate of each setting next to its pauses. */
final class AnswerSection extends Section {

	private static final int ROW_HEIGHT = 30;

	/** All bars have the same colour. */
	private static final int STYLE = 0;

	private final Effects effects;

	AnswerSection(Effects effects) {
		super("answer", "What makes synchronous throughput collapse?");
		this.effects = effects;
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Effect> all = this.effects.atMany();
		if (all.isEmpty()) {
			html.element("p", "No cell was measured.", "class", "answer");
			return;
		}
		Conclusions conclusions = new Conclusions(this.effects);
		html.element("p", conclusions.answer(), "class", "answer");
		html.list(conclusions.sentences());
		String many = Figures.count(this.effects.result().many());
		double top = all.stream().mapToDouble(Effect::perSecond).max().orElse(1);
		html.charts(List.of(
				chart("Orders answered per second, N = " + many, "orders per second", top, all, Effect::perSecond),
				chart("Stopped by the gateway's collector, % of the time", "% of the time", 100, all,
						(effect) -> percent(effect.pauseShare()))),
				table(all));
		html.element("p",
				"A setting differs from the base (%s) in what its name says and in nothing else. A loss is the share of the base's rate at the same N that is missing. It counts as more than noise if the 99 %% interval of at least eight pairs leaves out no loss, or, measured less often, if the ratio is beyond %s. A setting has collapsed below %s of the base's rate; a collector that stops the gateway for less than %s of the time is taken to explain no collapse."
					.formatted(this.effects.result().variant(), Figures.measured(Math.exp(this.effects.threshold())),
							Figures.percent(Conclusions.COLLAPSED_BELOW), Figures.percent(Conclusions.LITTLE_PAUSE)),
				"class", "note");
	}

	private static @Nullable Double percent(@Nullable Double share) {
		return (share != null) ? share * 100 : null;
	}

	private static Chart chart(String title, String unit, double top, List<Effect> all,
			Function<Effect, @Nullable Double> figure) {
		List<Chart.StackRow> rows = all.stream()
			.map((effect) -> new Chart.StackRow(effect.name(), STYLE, effect.marked(),
					Arrays.asList(figure.apply(effect))))
			.toList();
		return new Chart.Stack(title, "A bar for each setting, the fastest first.", rows.size() * ROW_HEIGHT + 80, 480,
				unit, Math.max(top, 1), List.of(unit), rows);
	}

	private Table table(List<Effect> all) {
		Table table = new Table("Each setting, the fastest first", 1,
				List.of("Setting", "N = " + Figures.count(this.effects.result().few()) + ", per second",
						"N = " + Figures.count(this.effects.result().many()) + ", per second", "of the base",
						"99 % interval", "of N = " + Figures.count(this.effects.result().few()), "p99, ms",
						"mean, of the whole time", "failed calls", "stopped by GC",
						"requests at the backend per order"));
		Conclusions conclusions = new Conclusions(this.effects);
		for (Effect effect : all) {
			table.row(Reliability.sign(effect.name(), effect.marked()),
					this.effects.at(effect.name(), this.effects.result().few())
						.map((few) -> Figures.measured(few.perSecond()))
						.orElse(Figures.NONE),
					Figures.measured(effect.perSecond()), Conclusions.percent(this.effects.left(effect)),
					conclusions.range(effect), Conclusions.percent(this.effects.growth(effect.name())),
					Figures.measured(effect.p99()), Conclusions.percent(effect.together()),
					Figures.percent(effect.failedShare()), Conclusions.percent(effect.pauseShare()),
					Figures.measured(effect.attempts()));
		}
		return table;
	}

}
