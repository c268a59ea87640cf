package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Objects;
import java.util.function.Function;

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
		if (groups.getFirst().load().kind() == Load.Kind.OFFERED) {
			// Their charts answer the run's question, so they come first on the page.
			html.details("Waits in milliseconds", table(groups));
		}
		else {
			html.charts(charts(groups), table(groups));
		}
	}

	/** The median waits over the load, until answered and until saved, by backend. */
	static List<Chart> charts(List<CellGroup> groups) {
		List<Chart> charts = new ArrayList<>();
		CellGroup.by(CellGroup::capacity, groups).values().forEach((own) -> {
			chart("answered", own, CellResult::acceptedP50).ifPresent(charts::add);
			chart("saved", own, CellResult::savedP50).ifPresent(charts::add);
		});
		return charts;
	}

	private static Optional<Chart> chart(String until, List<CellGroup> groups,
			Function<CellResult, @Nullable Double> figure) {
		List<Chart.Line> lines = ComparePage.lines(groups,
				(series) -> "%s, %s".formatted(series.mode(), series.variant()), figure);
		CellGroup first = groups.getFirst();
		return lines.isEmpty() ? Optional.empty() : Optional.of(new Chart.Lines(
				"%s: wait until %s".formatted(Coordinates.backend(first.capacity()), until),
				"Milliseconds from an order's first try, or from when it was due, until it was %s, against the load."
					.formatted(until),
				320, first.load().kind().words(), "median, milliseconds", "fastest to slowest repetition",
				Chart.Line.top(lines), CellGroup.sizes(groups), lines));
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
