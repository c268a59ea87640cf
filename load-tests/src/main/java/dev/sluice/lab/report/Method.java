package dev.sluice.lab.report;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult.Environment;

/**
 * How to repeat a run, and where it ran. For runs with cells also how they were measured
 * and what limits the results; the other findings have sections of their own for that.
 */
final class Method {

	private Method() {
	}

	static Section section(RunResult run) {
		return new Section("method", (run.finding() instanceof CompareResult)
				? "What was measured, how, and what limits it" : "How to repeat it, and where it ran",
				(html) -> write(run, html));
	}

	private static void write(RunResult run, Html html) {
		html.element("h3", "Repeat it");
		html.open("pre", "tabindex", "0").element("code", run.command()).close();
		if (run.finding() instanceof CompareResult) {
			cells(run, html);
		}
		if (!run.checks().isEmpty()) {
			html.element("h3", "Checked against itself");
			html.table(Table.of("What must hold if these figures are to be believed", run.checks(),
					List.of(Column.words("Check", Check::what),
							Column.words("Holds", (check) -> check.holds() ? "yes" : "no"),
							Column.words("Figures", Check::detail))));
		}
		html.table(environment(run));
		if (!run.configuration().isEmpty()) {
			html.details("Configuration", Table.of("Configuration", "Name", new TreeMap<>(run.configuration())));
		}
	}

	private static void cells(RunResult run, Html html) {
		html.element("h3", "How");
		html.list(List.of(
				"One window for every figure of a cell: from the start of the first call until the backend has saved the last order, or until the cell was given up. Rates divide by the length of that window, counters are its end minus its start.",
				"One clock: client, services and backend run on one machine, and their samples are joined by the second.",
				"Waits run from an order's first try, by the client's clock, until it is accepted, or until the backend has saved it, by the backend's time stamp; all orders count, exact percentiles (nearest rank). A call's own latency is that of answered calls.",
				"Before each cell, all services are at rest (less than a quarter of a core together, or 8 s).",
				"A cell's start lag is how late the load generator began 99 % of the orders that were due by the clock, or together with the first, at most: its own delay, which no latency contains.",
				"CPU, memory and threads are the kernel's figures of each process and its descendants, of a container's first process and its descendants, sampled five times a second and cut to the window by interpolation; pauses from the log of each JVM's collector. A window shorter than a sample leaves a figure out (%s) rather than guess."
					.formatted(Figures.NONE)));
		html.element("h3", "What limits it");
		html.list(List.of(
				"The calls in flight are bounded (the configuration says by how many): a stall holds back the calls that would have shown it, also where orders are due by the clock, and the start lag says by how much. Latency here compares variants; it is no promise.",
				"The load generator, the broker, the database and every service share this machine's %s cores: rates are those of the whole system, and a faster gateway elsewhere may show more."
					.formatted(Figures.count(run.environment().cores())),
				"Rates on a shared machine differ from run to run, by tens of per cent where cores are few, CPU per order by a few. A difference within the whiskers, or any small one measured once, says nothing.",
				"Bursts and --smallest end within seconds or less: their rates are coarse and their costs often not sampled.",
				"A cell during which other processes used more than 10 % of the machine's CPU is marked."));
	}

	private static Table environment(RunResult run) {
		Environment environment = run.environment();
		Map<String, String> values = new LinkedHashMap<>();
		values.put("Started", Figures.time(run.startedAt()));
		values.put("Took", Figures.duration(Duration.between(run.startedAt(), run.finishedAt())));
		values.put("Whole", (run.partial() != null) ? "no: " + run.partial() : "yes");
		values.put("Commit", environment.gitSha() + (environment.gitDirty() ? " with local changes" : ""));
		values.put("Processor", "%s, %s cores".formatted(environment.cpu(), Figures.count(environment.cores())));
		values.put("Memory", Figures.bytes(environment.memoryBytes()));
		values.put("System", environment.os());
		values.put("Java", environment.java());
		values.put("Kafka and PostgreSQL", environment.infrastructure());
		return Table.of("Where and when", "What", values);
	}

}
