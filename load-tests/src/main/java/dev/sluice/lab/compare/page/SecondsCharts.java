package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Second;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** One sync and one queued cell second by second, all figures on one time axis. */
final class SecondsCharts {

	private static final double MEBIBYTE = 1024 * 1024;

	private SecondsCharts() {
	}

	/**
	 * Chooses one cell for each mode.
	 * @return at most two, sync first; empty if no cell lasted long enough
	 */
	static List<CellResult> chosen(RunResult run) {
		Comparator<CellResult> largest = Comparator.<CellResult>comparingInt((c) -> c.cell().load().size())
			.thenComparingInt((c) -> c.seconds().size());
		List<CellResult> chosen = new ArrayList<>();
		Optional<CellResult> sync = cells(run, Coordinates.SYNC).stream().max(largest);
		sync.ifPresent(chosen::add);
		List<CellResult> queued = cells(run, Coordinates.QUEUED);
		sync.flatMap((s) -> queued.stream().filter((q) -> twins(s, q)).max(largest))
			.or(() -> queued.stream().max(largest))
			.ifPresent(chosen::add);
		return chosen;
	}

	private static boolean twins(CellResult sync, CellResult queued) {
		Series twin = new Series(sync.cell().capacity(), Coordinates.QUEUED, sync.cell().variant());
		return Series.of(queued.cell()).equals(twin) && queued.cell().load().size() == sync.cell().load().size();
	}

	private static List<CellResult> cells(RunResult run, String mode) {
		return run.cells().stream().filter((c) -> c.cell().mode().equals(mode) && c.seconds().size() > 1).toList();
	}

	static void write(RunResult run, Html html) {
		html.paragraph(
				"The sync cell with the greatest load that lasted longest, and the queued cell of the same variant and load (or, failing that, chosen likewise). The scales of a figure are the same in both; the time axes are not. Calls and p99 are the client's; GC, threads, heap and connections the gateway's, those from clients by the kernel's table, those to the backend by its pool. The queued window goes on after the last call until the backend has saved all orders.");
		List<CellResult> chosen = chosen(run);
		List<List<Chart.Panel>> panels = chosen.stream().map(SecondsCharts::panels).toList();
		List<Chart> charts = new ArrayList<>();
		for (int i = 0; i < chosen.size(); i++) {
			charts.add(chart(chosen.get(i), panels.get(i), panels));
		}
		html.charts(charts, table(chosen.getFirst()));
		chosen.stream().skip(1).forEach((cell) -> html.details("Data as a table", table(cell)));
	}

	private static Chart chart(CellResult cell, List<Chart.Panel> own, List<List<Chart.Panel>> all) {
		List<Chart.Panel> scaled = new ArrayList<>();
		for (int i = 0; i < own.size(); i++) {
			int panel = i;
			scaled.add(own.get(i).upTo(all.stream().mapToDouble((panels) -> panels.get(panel).max()).max().orElse(1)));
		}
		return new Chart.Seconds(
				Reliability.sign("%s, %s, backend %s, %s".formatted(cell.cell().mode(), cell.cell().variant(),
						cell.cell().capacity(), cell.cell().load()), Reliability.marked(cell)),
				"Calls answered and failed, the 99th percentile, GC pause, platform threads and heap used, second by second.",
				720, length(cell),
				scaled.stream().filter((panel) -> panel.values().stream().anyMatch(Objects::nonNull)).toList(),
				List.of());
	}

	private static int length(CellResult cell) {
		return cell.seconds().stream().mapToInt(Second::second).max().orElse(0) + 1;
	}

	private static List<Chart.Panel> panels(CellResult cell) {
		return List.of(panel("Calls answered per second", 1, "area", cell, Second::calls),
				panel("Calls failed per second", 4, "bars", cell, Second::failedCalls),
				panel("p99 of a call, ms (logarithmic)", 0, "line", cell, Second::p99Millis).onLogarithmicAxis(),
				panel("GC pause, ms per second", 3, "bars", cell, Second::gcPauseMillis),
				panel("Platform threads", 2, "area", cell, Second::threads),
				panel("Heap used, MiB", 1, "area", cell, SecondsCharts::heapMebibytes));
	}

	/** A second that was not sampled has no value. */
	private static Chart.Panel panel(String name, int style, String form, CellResult cell,
			Function<Second, ? extends @Nullable Number> figure) {
		Map<Integer, Second> sampled = cell.seconds()
			.stream()
			.collect(Collectors.toMap(Second::second, Function.identity(), (_, last) -> last));
		return Chart.Panel.of(name, style, form, IntStream.range(0, length(cell)).boxed().toList(), (at) -> {
			Second second = sampled.get(at);
			return (second != null) ? figure.apply(second) : null;
		});
	}

	private static @Nullable Double heapMebibytes(Second second) {
		Long bytes = second.heapUsedBytes();
		return (bytes != null) ? bytes / MEBIBYTE : null;
	}

	private static Table table(CellResult cell) {
		return Table.of(cell.cell().toString(), cell.seconds(), List.of(Column.count("Second", Second::second),
				Column.count("calls answered", Second::calls), Column.count("calls failed", Second::failedCalls),
				Column.measured("p99, ms", Second::p99Millis), Column.measured("GC pause, ms", Second::gcPauseMillis),
				Column.count("platform threads", Second::threads), Column.bytes("heap used", Second::heapUsedBytes),
				Column.measured("CPU, cores", Second::cpuShare)));
	}

}
