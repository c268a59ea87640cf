package dev.sluice.lab.causes;

import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

import dev.sluice.lab.causes.Conclusions.Effect;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The section of {@code lab compare --causes}: the conclusions, the rate of each setting
 * next to its pauses, and the limits of what they show.
 */
public final class CausesSection extends Section {

	private static final int ROW_HEIGHT = 30;

	/** All bars have the same colour. */
	private static final int STYLE = 0;

	private final CausesResult result;

	private final Conclusions conclusions;

	public CausesSection(CausesResult result) {
		super("answer", "What makes synchronous throughput collapse?");
		this.result = result;
		this.conclusions = new Conclusions(result);
	}

	@Override
	public void write(RunResult run, Html html) {
		List<Effect> all = this.conclusions.atMany();
		if (all.isEmpty()) {
			html.element("p", "No cell was measured.", "class", "answer");
			return;
		}
		html.element("p", this.conclusions.answer(), "class", "answer");
		html.list(this.conclusions.sentences());
		String many = Figures.count(this.result.many());
		double top = all.stream().mapToDouble(Effect::perSecond).max().orElse(1);
		html.charts(List.of(
				chart("Orders answered per second, N = " + many, "orders per second", top, all, Effect::perSecond),
				chart("Stopped by the gateway's collector, % of the time", "% of the time", 100, all,
						(effect) -> percent(effect.pauseShare()))),
				settings(all));
		html.list(List.of(
				"A setting differs from the base (%s) in what its name says and in nothing else; all together are all but the gateway's threads. A loss is the share of the base's rate at the same N that is missing. It counts as more than noise if the ratio is beyond %s. A setting has collapsed below %s of the base's rate; a collector that stops the gateway for less than %s of the time is taken to explain no collapse."
					.formatted(this.result.variant(), Figures.measured(this.conclusions.threshold()),
							Figures.percent(Conclusions.COLLAPSED_BELOW), Figures.percent(Conclusions.LITTLE_PAUSE)),
				"A cell lasts from its first call until the last order is answered 201, or until it was given up: an order that the backend saves after its client got another answer is of no use to the client. The load is a closed model, at most 1,000 orders in flight.",
				"The backend's threads are simulated by places and timers: their own memory and context switches are not in the figures. The reference's runtime is another, and so is its way to queue continuations behind new work.",
				"No other factors are varied: the reference's figures were taken on another machine, with a debugger attached at least once.",
				"A cell during which other processes used more than %s of the machine's CPU or an unknown share of it, or that was given up, is marked %s."
					.formatted(Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN)));
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

	private Table settings(List<Effect> all) {
		String few = Figures.count(this.result.few());
		Table table = new Table("Each setting, the fastest first", 1, List.of("Setting", "N = " + few + ", per second",
				"N = " + Figures.count(this.result.many()) + ", per second", "of the base", "of N = " + few, "p99, ms",
				"mean, of the whole time", "failed calls", "stopped by GC", "requests at the backend per order"));
		for (Effect effect : all) {
			table.row(Reliability.sign(effect.name(), effect.marked()),
					this.conclusions.at(effect.name(), this.result.few())
						.map((low) -> Figures.measured(low.perSecond()))
						.orElse(Figures.NONE),
					Figures.measured(effect.perSecond()), Conclusions.percent(this.conclusions.left(effect)),
					Conclusions.percent(this.conclusions.growth(effect)), Figures.measured(effect.p99()),
					Conclusions.percent(effect.together()), Figures.percent(effect.failedShare()),
					Conclusions.percent(effect.pauseShare()), Figures.measured(effect.attempts()));
		}
		return table;
	}

}
