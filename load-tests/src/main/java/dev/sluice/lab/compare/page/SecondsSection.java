package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.kit.cell.CellResult.Second;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** One sync and one queued cell second by second, all figures on one time axis. */
final class SecondsSection extends Section {

	private static final double MEBIBYTE = 1024 * 1024;

	private static final String P99 = "p99 of a call";

	SecondsSection() {
		super("seconds", "One run, second by second");
	}

	@Override
	public void write(RunResult run, Html html) {
		List<CellResult> chosen = chosen(run);
		if (chosen.isEmpty()) {
			html.element("p", "No cell lasted long enough to be shown by seconds.");
			return;
		}
		html.element("p",
				"The sync cell with the greatest load that lasted longest, and the queued cell of the same variant and load (or, failing that, chosen likewise). The scales of a figure are the same in both; the time axes are not. Calls and p99 are the client's; GC, threads, heap and connections the gateway's, those from clients by the kernel's table, those to the backend by its pool. The queued window goes on after the last call until the backend has saved all orders.");
		double[] maxima = { top(chosen, Second::calls), top(chosen, Second::failedCalls),
				top(chosen, Second::p99Millis), top(chosen, Second::gcPauseMillis), top(chosen, Second::threads),
				heapTop(chosen), top(chosen, Second::connections), top(chosen, Second::pooled) };
		html.charts(chosen.stream().map((cell) -> chart(cell, maxima)).toList(), table(chosen.getFirst()));
		chosen.stream().skip(1).forEach((cell) -> html.details("Data as a table", table(cell)));
	}

	/**
	 * Chooses one cell for each mode.
	 * @param run the run
	 * @return at most two, sync first
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

	private static Chart chart(CellResult cell, double[] maxima) {
		int seconds = cell.seconds().stream().mapToInt(Second::second).max().orElse(0) + 1;
		return new Chart.Seconds(
				Reliability.sign("%s, %s, backend %s, %s".formatted(cell.cell().mode(), cell.cell().variant(),
						cell.cell().capacity(), cell.cell().load()), Reliability.marked(cell)),
				"Calls answered and failed, the 99th percentile, GC pause, platform threads, heap used and open connections, second by second.",
				920, 440, seconds,
				Stream
					.of(new Chart.Panel("Calls answered per second", 1, "area", false, maxima[0],
							values(cell, seconds, (s) -> (double) s.calls())),
							new Chart.Panel("Calls failed per second", 4, "bars", false, maxima[1],
									values(cell, seconds, (s) -> (double) s.failedCalls())),
							new Chart.Panel(P99 + ", ms (logarithmic)", 0, "line", true, maxima[2],
									values(cell, seconds, Second::p99Millis)),
							new Chart.Panel("GC pause, ms per second", 3, "bars", false, maxima[3],
									values(cell, seconds, Second::gcPauseMillis)),
							new Chart.Panel("Platform threads", 2, "area", false, maxima[4],
									values(cell, seconds, (s) -> asDouble(s.threads()))),
							new Chart.Panel("Heap used, MiB", 1, "area", false, maxima[5],
									values(cell, seconds, SecondsSection::heapMebibytes)),
							new Chart.Panel("Open connections from clients", 2, "area", false, maxima[6],
									values(cell, seconds, (s) -> asDouble(s.connections()))),
							new Chart.Panel("Open connections to the backend", 0, "area", false, maxima[7],
									values(cell, seconds, (s) -> asDouble(s.pooled()))))
					.filter((panel) -> panel.max() > 0 || !panel.name().startsWith(P99))
					.toList(),
				List.of());
	}

	private static List<@Nullable Double> values(CellResult cell, int seconds,
			Function<Second, @Nullable Double> figure) {
		List<@Nullable Double> values = new ArrayList<@Nullable Double>(Collections.nCopies(seconds, null));
		cell.seconds().forEach((s) -> values.set(s.second(), figure.apply(s)));
		return values;
	}

	private static double top(List<CellResult> cells, Function<Second, ? extends @Nullable Number> figure) {
		double top = 0;
		for (CellResult cell : cells) {
			for (Second second : cell.seconds()) {
				Number value = figure.apply(second);
				top = Math.max(top, (value != null) ? value.doubleValue() : 0);
			}
		}
		return top;
	}

	private static double heapTop(List<CellResult> cells) {
		return top(cells, SecondsSection::heapMebibytes);
	}

	private static @Nullable Double heapMebibytes(Second second) {
		Long bytes = second.heapUsedBytes();
		return (bytes != null) ? bytes / MEBIBYTE : null;
	}

	private static @Nullable Double asDouble(@Nullable Integer value) {
		return (value != null) ? value.doubleValue() : null;
	}

	private static Table table(CellResult cell) {
		Table table = new Table(cell.cell().toString(), 0,
				List.of("Second", "calls answered", "calls failed", "p99, ms", "GC pause, ms", "platform threads",
						"heap used", "CPU, cores", "connections from clients", "connections to the backend"));
		cell.seconds()
			.forEach((s) -> table.row(Figures.count(s.second()), Figures.count(s.calls()),
					Figures.count(s.failedCalls()), Figures.measured(s.p99Millis()),
					Figures.measured(s.gcPauseMillis()), Figures.count(s.threads()), Figures.bytes(s.heapUsedBytes()),
					Figures.measured(s.cpuShare()), Figures.count(s.connections()), Figures.count(s.pooled())));
		return table;
	}

}
