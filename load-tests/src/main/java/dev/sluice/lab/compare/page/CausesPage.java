package dev.sluice.lab.compare.page;

import java.util.List;
import java.util.function.Function;

import dev.sluice.lab.compare.figures.Collapse;
import dev.sluice.lab.compare.figures.Collapse.Effect;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/**
 * What {@code lab compare --causes} shows before all cells: the conclusions, the rate of
 * each setting next to its pauses, and the limits of what they show.
 */
public final class CausesPage {

	/** The experiment's name in results, its command. */
	public static final String NAME = "compare --causes";

	private static final String FEW = Load.Kind.BURST.text(Collapse.FEW);

	private static final String MANY = Load.Kind.BURST.text(Collapse.MANY);

	private CausesPage() {
	}

	static Section section(RunResult run) {
		Collapse collapse = new Collapse(run);
		return new Section("answer", "What makes synchronous throughput collapse?",
				List.of(collapse.atMany().isEmpty() ? "No cell was measured." : collapse.answer()),
				List.of(settings(collapse)), (html) -> write(collapse, html));
	}

	private static void write(Collapse collapse, Html html) {
		List<Effect> all = collapse.atMany();
		if (all.isEmpty()) {
			return;
		}
		html.charts(List.of(
				chart("Orders answered per second, " + MANY, "orders per second",
						Chart.top(all.stream().map(Effect::perSecond)), all, Effect::perSecond),
				chart("Stopped by the gateway's collector, % of the time", "% of the time", 100, all,
						(effect) -> (effect.pauseShare() != null) ? effect.pauseShare() * 100 : null)));
		html.note(
				"A loss is the share of the base's rate at the same N that is missing. A setting has collapsed below %s of the base's rate; a collector that stops the gateway for less than %s of the time is taken to explain no collapse. Rates are those of orders answered 201, until the last of them."
					.formatted(Figures.percent(Collapse.COLLAPSED_BELOW), Figures.percent(Collapse.LITTLE_PAUSE)));
	}

	private static Chart chart(String title, String unit, double top, List<Effect> all,
			Function<Effect, @Nullable Double> figure) {
		return Chart.Stack.of(title, "A bar for each setting, the fastest first.", unit, top, List.of(unit),
				all.stream()
					.map((effect) -> Chart.StackRow.of(effect.name(), 0, effect.marked(), figure.apply(effect)))
					.toList());
	}

	private static Table settings(Collapse collapse) {
		return Table.of("Orders answered per second in each setting, the fastest first", collapse.atMany(),
				List.of(Column.words("Setting", Effect::name).marked(Effect::marked),
						Column.measured(FEW, collapse::few), Column.measured(MANY, Effect::perSecond),
						Column.percent("of the base", collapse::left), Column.percent("of " + FEW, collapse::growth),
						Column.measured("p99, ms", (effect) -> effect.cells().median(CellResult::latency, Timing::p99)),
						Column.percent("failed calls", (effect) -> effect.cells().failedShare()),
						Column.percent("stopped by GC", Effect::pauseShare)));
	}

}
