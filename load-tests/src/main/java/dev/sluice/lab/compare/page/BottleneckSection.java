package dev.sluice.lab.compare.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import dev.sluice.lab.compare.figures.Bottlenecks;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/** What limited each cell, and how busy every process was. */
final class BottleneckSection extends Section {

	BottleneckSection() {
		super("bottleneck", "Bottlenecks");
	}

	@Override
	public void write(RunResult run, Html html) {
		Map<CellResult, Utilisation> cells = new LinkedHashMap<>();
		run.cells().forEach((cell) -> {
			if (cell.utilisation() != null) {
				cells.put(cell, cell.utilisation());
			}
		});
		html.list(new Bottlenecks(run).sentences(run));
		html.element("p",
				"The first rule that holds: the load generator was late, or used up cores of its own; the machine's CPU was used to 90 % or more, and the rate is below 80 % of what the limit on calls to the backend allows at the backend's latency; a limit was reached in half of the scrapes or more; the machine's CPU was used to 90 % or more; the backend held 80 % or more of the calls that wait for it; otherwise calls in flight by what each took.");
		bottlenecks(cells).write(html);
		html.details("Limits, at least half used", limits(cells));
		html.details("How busy each process was", processes(cells));
	}

	/** Whether the run has utilisations. */
	static boolean appliesTo(RunResult run) {
		return run.cells().stream().anyMatch((cell) -> cell.utilisation() != null);
	}

	private static Table bottlenecks(Map<CellResult, Utilisation> cells) {
		Table table = new Table("What limited each cell", 5,
				List.of("Variant", "Mode", "Backend", "load", "Limited by", "repetition", "orders per second",
						"ceiling: limit by latency, per second", "machine's CPU", "stolen", "backend, ms",
						"in the backend"));
		cells.forEach((cell, busy) -> table.row(cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(),
				load(cell), cell.bottleneckSentence().isEmpty() ? "Too little is known." : cell.bottleneckSentence(),
				Figures.count(cell.cell().repetition()), Figures.measured(cell.savedPerSecond()),
				Figures.measured(busy.ceilingPerSecond()), Figures.percent(busy.busyShare()),
				Figures.percent(busy.stealShare()), Figures.measured(busy.backendMillis()),
				Figures.measured(busy.backendInFlight())));
		return table;
	}

	private static Table limits(Map<CellResult, Utilisation> cells) {
		Table table = new Table("Limits that services export, by one scrape per second", 6, List.of("Variant", "Mode",
				"Backend", "load", "Service", "Limited", "repetition", "limit", "used, mean", "at the limit"));
		cells.forEach((cell, busy) -> {
			for (LimitUse limit : busy.limits()) {
				table.row(cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(), load(cell),
						limit.service(), limit.what(), Figures.count(cell.cell().repetition()),
						Figures.count(limit.limit()), Figures.measured(limit.used()), Figures.percent(limit.share()));
			}
		});
		return table;
	}

	private static Table processes(Map<CellResult, Utilisation> cells) {
		Table table = new Table(
				"Cores used; threads ready to run without a core, on average; shares of the process's CPU time", 5,
				List.of("Process", "Variant", "Mode", "Backend", "load", "repetition", "cores",
						"threads waiting for a core", "compiling", "collecting garbage"));
		cells.forEach((cell, busy) -> new TreeMap<>(busy.processes())
			.forEach((process, load) -> table.row(row(cell, process, Objects.requireNonNull(load)))));
		return table;
	}

	private static List<String> row(CellResult cell, String process, ProcessUse load) {
		return List.of(process, cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(), load(cell),
				Figures.count(cell.cell().repetition()), Figures.measured(load.cores()),
				Figures.measured(load.waiting()), Figures.percent(load.jitShare()), Figures.percent(load.gcShare()));
	}

	private static String load(CellResult cell) {
		return Reliability.sign(cell.cell().load().toString(), Reliability.marked(cell));
	}

}
