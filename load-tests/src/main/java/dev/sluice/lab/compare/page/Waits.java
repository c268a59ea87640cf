package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import dev.sluice.lab.compare.figures.CellGroup;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** The waits of the clients of each series. */
final class Waits {

	private Waits() {
	}

	static void write(RunResult run, Html html) {
		html.paragraph(
				"From an order's first try until the backend has saved it: failed calls, pauses and retries are in it, for both modes the same end. Lower is better. “Answered” is until the order is accepted. A percentile with fewer than ten orders above it, or whose order was never saved, is left out (%s); percentiles are medians of the repetitions."
					.formatted(Figures.NONE));
		if (run.cells().stream().noneMatch((cell) -> cell.cell().load().kind() == Load.Kind.OFFERED)) {
			html.element("p",
					"A closed model: a client waits before it places its next order, so stalls are under-represented. lab compare --rates has none of that.",
					"class", "caution");
		}
		List<CellGroup> groups = CellGroup.of(run)
			.stream()
			.filter((group) -> group.cells()
				.stream()
				.anyMatch((cell) -> cell.toSaved() != null || cell.latency() != null))
			.toList();
		if (groups.isEmpty()) {
			html.paragraph("No wait was measured.");
			return;
		}
		List<Chart> charts = new ArrayList<>();
		CellGroup.by(CellGroup::capacity, CellGroup.inDetail(groups)).values().forEach((own) -> {
			charts.add(chart("saved", own, CellResult::toSaved));
			charts.add(chart("answered", own, CellResult::toAccepted));
		});
		html.open("div", "class", "stacked").charts(charts, table(groups)).close();
	}

	private static Chart chart(String until, List<CellGroup> groups, Function<CellResult, @Nullable Wait> wait) {
		CellGroup first = groups.getFirst();
		return Chart.Spread.of("%s, %s: until %s".formatted(Coordinates.backend(first.capacity()), first.load(), until),
				"Median, 95th and 99th percentile in milliseconds on a logarithmic axis, a row for each variant and mode, with the share of its calls that failed.",
				groups.stream()
					.map((group) -> new Chart.SpreadRow(
							"%s, %s%s".formatted(group.mode(), group.variant(),
									(group.failedShare() > 0)
											? ", %s failed".formatted(Figures.percent(group.failedShare())) : ""),
							Coordinates.style(group.variant()), group.marked(), group.median(wait, Wait::p50),
							group.median(wait, Wait::p95), group.median(wait, Wait::p99), null))
					.toList());
	}

	private static Table table(List<CellGroup> groups) {
		return CellTables.table("Waits in milliseconds", groups,
				CellTables.coordinates((group) -> group.cells().getFirst().cell(), CellGroup::marked),
				Column.measured("saved p50", (group) -> group.median(CellResult::toSaved, Wait::p50)),
				Column.measured("saved p95", (group) -> group.median(CellResult::toSaved, Wait::p95)),
				Column.measured("saved p99", (group) -> group.median(CellResult::toSaved, Wait::p99)),
				Column.measured("answered p50", (group) -> group.median(CellResult::toAccepted, Wait::p50)),
				Column.measured("answered p95", (group) -> group.median(CellResult::toAccepted, Wait::p95)),
				Column.measured("answered p99", (group) -> group.median(CellResult::toAccepted, Wait::p99)),
				Column.measured("a call's own p50", (group) -> group.median(CellResult::latency, Timing::p50)),
				Column.measured("its p99", (group) -> group.median(CellResult::latency, Timing::p99)),
				Column.percent("calls failed", CellGroup::failedShare),
				Column.count("orders never saved",
						(group) -> group.cells()
							.stream()
							.map(CellResult::toSaved)
							.filter(Objects::nonNull)
							.mapToLong(Wait::unfinished)
							.sum()));
	}

}
