package dev.sluice.lab.report;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.result.RunResult;

/** All cells of any experiment, in the order they ran. */
final class CellsSection extends Section {

	CellsSection() {
		super("cells", "All cells");
	}

	@Override
	public void write(RunResult run, Html html) {
		if (run.cells().isEmpty()) {
			html.element("p", "No cell was measured.");
		}
		else {
			html.element("p", "In the order they were run, without aggregation.");
			html.details("Figures of all %s cells".formatted(Figures.count(run.cells().size())), cells(run));
			html.details("Latency of calls, and connections", calls(run));
			html.details("What each service spent in each cell", services(run));
			marked(run, html);
		}
		leftOut(run, html);
	}

	private static Table cells(RunResult run) {
		Table table = new Table("All cells: orders and calls", 3,
				List.of("Variant", "Mode", "Backend", "load", "repetition", "saved per second", "accepted per second",
						"window", "accepted", "saved", "calls", "failed calls", "failed of", "foreign CPU"));
		for (CellResult cell : run.cells()) {
			table.row(cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(), load(cell),
					Figures.count(cell.cell().repetition()), Figures.measured(cell.savedPerSecond()),
					Figures.measured(cell.acceptedPerSecond()),
					Figures.duration(Duration.between(cell.start(), cell.end())), Figures.count(cell.accepted()),
					Figures.count(cell.saved()), Figures.count(cell.calls()), Figures.count(cell.failedCalls()),
					failures(cell.failures()), Figures.percent(cell.foreignCpuShare()));
		}
		return table;
	}

	private static Table calls(RunResult run) {
		Table table = new Table("All cells: latency of answered calls, in milliseconds, and connections", 3,
				List.of("Variant", "Mode", "Backend", "load", "repetition", "mean", "p50", "p95", "p99", "max",
						"start lag", "connections", "most in backend"));
		for (CellResult cell : run.cells()) {
			Latency latency = cell.latency();
			table.row(cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(), load(cell),
					Figures.count(cell.cell().repetition()),
					Figures.measured((latency != null) ? latency.mean() : null),
					Figures.measured((latency != null) ? latency.p50() : null),
					Figures.measured((latency != null) ? latency.p95() : null),
					Figures.measured((latency != null) ? latency.p99() : null),
					Figures.measured((latency != null) ? latency.max() : null), Figures.count(cell.startLagP99Millis()),
					Figures.count(cell.connectionsOpened()), Figures.count(cell.backendMaxInFlight()));
		}
		return table;
	}

	private static String load(CellResult cell) {
		return Reliability.sign(cell.cell().load().toString(), Reliability.marked(cell));
	}

	private static String failures(Map<String, Long> failures) {
		if (failures.isEmpty()) {
			return Figures.NONE;
		}
		return String.join(", ",
				new TreeMap<>(failures).entrySet()
					.stream()
					.map((e) -> "%s: %s".formatted(e.getKey(), Figures.count(e.getValue())))
					.toList());
	}

	private static Table services(RunResult run) {
		Table table = new Table("What each service spent in each cell", 4,
				List.of("Service", "Variant", "Mode", "Backend", "load", "repetition", "CPU ms per order",
						"allocated per order", "promoted per order", "GC pauses", "GC pause ms", "longest pause, ms",
						"peak platform threads", "peak RSS"));
		for (CellResult cell : run.cells()) {
			for (Map.Entry<String, ServiceCost> service : new TreeMap<>(cell.services()).entrySet()) {
				ServiceCost cost = service.getValue();
				table.row(service.getKey(), cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(),
						load(cell), Figures.count(cell.cell().repetition()), Figures.measured(cost.cpuMillisPerOrder()),
						Figures.bytes(cost.allocatedBytesPerOrder()), Figures.bytes(cost.promotedBytesPerOrder()),
						Figures.count(cost.gcPauses()), Figures.measured(cost.gcPauseMillis()),
						Figures.measured(cost.gcPauseMaxMillis()), Figures.count(cost.peakThreads()),
						Figures.bytes(cost.peakRssBytes()));
			}
		}
		return table;
	}

	private static void marked(RunResult run, Html html) {
		List<CellResult> marked = run.cells().stream().filter(Reliability::marked).toList();
		if (!marked.isEmpty()) {
			Table table = new Table("Marked %s, and why".formatted(Reliability.SIGN), 2, List.of("Cell", "Why"));
			marked.forEach((cell) -> table.row(cell.cell().toString(), String.join("; ", Reliability.of(cell))));
			table.write(html);
		}
	}

	private static void leftOut(RunResult run, Html html) {
		if (!run.leftOut().isEmpty()) {
			Table table = new Table("Left out, and why", 2, List.of("Cell", "Why"));
			run.leftOut().forEach((left) -> table.row(left.cell().toString(), left.why()));
			table.write(html);
		}
	}

}
