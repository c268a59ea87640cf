package dev.sluice.lab.compare.page;

import java.util.List;
import java.util.function.Function;

import dev.sluice.lab.compare.figures.Collapse;
import dev.sluice.lab.compare.figures.Collapse.Effect;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CausesResult;
import org.jspecify.annotations.Nullable;

/**
 * What {@code lab compare --causes} shows: the conclusions, the rate of each setting next
 * to its pauses, and the limits of what they show.
 */
public final class CausesPage {

	private CausesPage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(CausesResult result) {
		Collapse conclusions = new Collapse(result);
		return List.of(new Section("answer", "What makes synchronous throughput collapse?",
				List.of(conclusions.atMany().isEmpty() ? "No cell was measured." : conclusions.answer()),
				(html) -> write(result, conclusions, html)));
	}

	/** The settings for the terminal. */
	public static String text(CausesResult result) {
		return settings(result, new Collapse(result)).text();
	}

	private static void write(CausesResult result, Collapse conclusions, Html html) {
		List<Effect> all = conclusions.atMany();
		if (all.isEmpty()) {
			return;
		}
		html.list(conclusions.sentences());
		html.charts(
				List.of(chart("Orders answered per second, N = " + Figures.count(result.many()), "orders per second",
						Chart.top(all.stream().map(Effect::perSecond)), all, Effect::perSecond),
						chart("Stopped by the gateway's collector, % of the time", "% of the time", 100, all,
								(effect) -> (effect.pauseShare() != null) ? effect.pauseShare() * 100 : null)),
				settings(result, conclusions));
		html.list(List.of(
				"A setting differs from the base (%s) in what its name says and in nothing else; all together are all but the gateway's threads. A loss is the share of the base's rate at the same N that is missing. It counts as more than noise if the ratio is beyond %s. A setting has collapsed below %s of the base's rate; a collector that stops the gateway for less than %s of the time is taken to explain no collapse."
					.formatted(result.variant(), Figures.measured(conclusions.threshold()),
							Figures.percent(Collapse.COLLAPSED_BELOW), Figures.percent(Collapse.LITTLE_PAUSE)),
				"A cell lasts from its first call until the last order is answered 201, or until it was given up: an order that the backend saves after its client got another answer is of no use to the client. The load is a closed model, at most 1,000 orders in flight.",
				"The backend's threads are simulated by places and timers: their own memory and context switches are not in the figures. The reference's runtime is another, and so is its way to queue continuations behind new work.",
				"No other factors are varied: the reference's figures were taken on another machine, with a debugger attached at least once.",
				"A cell during which other processes used more than %s of the machine's CPU or an unknown share of it, or that was given up, is marked %s."
					.formatted(Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN)));
	}

	private static Chart chart(String title, String unit, double top, List<Effect> all,
			Function<Effect, @Nullable Double> figure) {
		return Chart.Stack.of(title, "A bar for each setting, the fastest first.", unit, top, List.of(unit),
				all.stream()
					.map((effect) -> Chart.StackRow.of(effect.name(), 0, effect.marked(), figure.apply(effect)))
					.toList());
	}

	private static Table settings(CausesResult result, Collapse conclusions) {
		String few = "N = " + Figures.count(result.few());
		return Table.of("Orders answered per second in each setting, the fastest first", conclusions.atMany(),
				List.of(Column.words("Setting", Effect::name).marked(Effect::marked), Column.measured(few,
						(effect) -> conclusions.at(effect.name(), result.few()).map(Effect::perSecond).orElse(null)),
						Column.measured("N = " + Figures.count(result.many()), Effect::perSecond),
						Column.percent("of the base", conclusions::left),
						Column.percent("of " + few, conclusions::growth), Column.measured("p99, ms", Effect::p99),
						Column.percent("failed calls", Effect::failedShare),
						Column.percent("stopped by GC", Effect::pauseShare),
						Column.measured("requests at the backend per order", Effect::attempts)));
	}

}
