package dev.sluice.lab.causes;

import java.util.List;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.result.RunResult;

/** Every cell that was run, and the limits of what the figures show. */
final class CellsSection extends Section {

	private final Effects effects;

	CellsSection(Effects effects) {
		super("cells", "All cells, and what limits them");
		this.effects = effects;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(List.of(
				"A cell lasts from its first call until the last order is answered 201, or until it was given up: an order that the backend saves after its client got another answer is of no use to the client. The load is a closed model, at most 1,000 orders in flight.",
				"The backend's threads are simulated by places and timers: their own memory and context switches are not in the figures. The reference's runtime is another, and so is its way to queue continuations behind new work.",
				"No other factors are varied: the reference's figures were taken on another machine, with a debugger attached at least once.",
				"A cell during which other processes used more than %s of the machine's CPU or an unknown share of it, or that was given up, is marked %s."
					.formatted(Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN)));
		html.details("Figures of all %s cells".formatted(Figures.count(this.effects.result().cells().size())), cells());
		html.details("Latency, backend and pauses", calls());
	}

	private Table cells() {
		Table table = new Table("In the order they were run", 2, List.of("Setting", "problem", "N", "repetition",
				"trial", "seconds", "per second", "answered", "calls", "failed of", "foreign CPU"));
		for (Cell cell : this.effects.result().cells()) {
			table.row(Reliability.sign(cell.setting(), Effects.marked(cell)),
					(cell.problem() != null) ? cell.problem() : Figures.NONE, Figures.count(cell.orders()),
					Figures.count(cell.repetition()), Figures.count(cell.trial()), Figures.measured(cell.seconds()),
					Figures.measured(cell.perSecond()), Figures.count(cell.answered()), Figures.count(cell.calls()),
					failures(cell), Conclusions.percent(cell.foreignCpuShare()));
		}
		return table;
	}

	private Table calls() {
		Table table = new Table("Latency in milliseconds, requests at the backend, pauses of the gateway", 1,
				List.of("Setting", "N", "repetition", "trial", "mean", "p50", "p95", "p99", "max", "at the backend",
						"most at once", "connections", "GC pauses", "GC ms"));
		for (Cell cell : this.effects.result().cells()) {
			Latency latency = cell.latency();
			table.row(Reliability.sign(cell.setting(), Effects.marked(cell)), Figures.count(cell.orders()),
					Figures.count(cell.repetition()), Figures.count(cell.trial()),
					Figures.measured((latency != null) ? latency.mean() : null),
					Figures.measured((latency != null) ? latency.p50() : null),
					Figures.measured((latency != null) ? latency.p95() : null),
					Figures.measured((latency != null) ? latency.p99() : null),
					Figures.measured((latency != null) ? latency.max() : null), Figures.count(cell.received()),
					Figures.count(cell.backendMaxInFlight()), Figures.count(cell.connectionsOpened()),
					Figures.count(cell.gateway().gcPauses()), Figures.measured(cell.gateway().gcPauseMillis()));
		}
		return table;
	}

	private static String failures(Cell cell) {
		String failures = new TreeMap<>(cell.failures()).entrySet()
			.stream()
			.map((failure) -> "%s: %s".formatted(failure.getKey(), Figures.count(failure.getValue())))
			.collect(Collectors.joining(", "));
		return failures.isEmpty() ? Figures.NONE : failures;
	}

}
