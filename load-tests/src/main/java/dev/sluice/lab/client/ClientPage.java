package dev.sluice.lab.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Reference;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;

/** What {@code lab client} shows: which clients kept up, and each second by second. */
public final class ClientPage {

	/** Factor allowed over what rate and least latency explain. */
	private static final double SLACK = 1.5;

	private ClientPage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(ClientResult result) {
		List<Section> sections = new ArrayList<>();
		sections.add(overview(result));
		result.runs().forEach((run) -> sections.add(seconds(run, "run-" + sections.size())));
		return sections;
	}

	static boolean marked(Run run) {
		return Reliability.marked(run.lag().p99AtMost(), run.foreignCpuShare());
	}

	/**
	 * Whether every request was sent, none failed, and no more were outstanding at the
	 * end than rate and least latency explain (Little's law).
	 */
	static boolean keptUp(Run run) {
		Second last = run.last();
		Timing latency = run.latency();
		if (last == null || latency == null || run.tally().notSent() > 0 || run.tally().failed() > 0) {
			return false;
		}
		double least = Objects.requireNonNullElse(latency.min(), 0.0);
		return last.outstanding() <= Math.max(1, run.requestsPerSecond()) * SLACK * Math.max(least, 1_000) / 1_000;
	}

	private static String answer(Run run) {
		Second last = run.last();
		String end = (last != null) ? "%s requests outstanding after %s s, of %s sent"
			.formatted(Figures.count(last.outstanding()), Figures.count(last.second()), Figures.count(last.sent()))
				: "it ended within a second";
		Reference reference = run.reference();
		String asThere = (reference == null) ? ""
				: ", as in the reference: %sreproduced".formatted((reference.healthy() == keptUp(run)) ? "" : "NOT ");
		String causes = run.tally().failures().isEmpty() ? "" : " " + run.tally().failures();
		return "%s: %s%s; %s, %s failed%s.".formatted(run.name(), keptUp(run) ? "kept up" : "did not keep up", asThere,
				end, Figures.count(run.tally().failed()), causes);
	}

	private static Section overview(ClientResult result) {
		Section section = new Section("overview", "Does a client that waits this way keep up?");
		if (result.runs().isEmpty()) {
			section.answers(List.of("Nothing was sent."));
		}
		else {
			section.answers(result.runs().stream().map(ClientPage::answer).toList())
				.shown(ends(result))
				.shown(latencies(result));
		}
		section.note(
				"An open model: requests are due by the clock and sent whatever is outstanding; latency counts from when a request was due, of answered requests. Kept up: every request was sent, none failed, and at the end at most half as many more are outstanding than rate times least latency, or than are due in a second. Lag: how late requests were sent, the generator's own fault, part of every latency. CPU: of the whole client process. A run is marked %s if its lag's p99 exceeds %s ms or others used more than %s of the machine's CPU or an unknown share."
					.formatted(Reliability.SIGN, Figures.measured(Reliability.LAG_LIMIT_MILLIS),
							Figures.percent(Reliability.FOREIGN_CPU_LIMIT)));
		return section;
	}

	/** The end of a run of ours, or of the reference's. */
	private record End(String name, String whose, Second at) {

		static List<End> of(Run run) {
			List<End> ends = new ArrayList<>();
			if (run.last() != null) {
				ends.add(new End(Reliability.sign(run.name(), marked(run)), "ours", run.last()));
			}
			Reference there = run.reference();
			if (there != null) {
				ends.add(new End("", "the reference's, after %s s".formatted(there.elapsedSeconds()),
						new Second(there.elapsedSeconds(), there.requests(), there.responses(), there.outstanding(), 0,
								0, there.latencyMillis(), there.threads())));
			}
			return ends;
		}

	}

	private static Table ends(ClientResult result) {
		return Table.of("At the end of the load", result.runs().stream().map(End::of).flatMap(List::stream).toList(),
				List.of(Column.words("Run", End::name), Column.words("whose", End::whose),
						Column.count("requests", (end) -> end.at().sent()),
						Column.count("responses", (end) -> end.at().answered()),
						Column.count("outstanding", (end) -> end.at().outstanding()),
						Column.measured("latency in the last second, ms", (end) -> end.at().latencyMillis()),
						Column.count("threads", (end) -> end.at().threads())));
	}

	private static Table latencies(ClientResult result) {
		return Table.of("All answered requests, latency since due, and the generator itself; in milliseconds",
				result.runs(),
				List.of(Column.words("Run", Run::name).marked(ClientPage::marked),
						Column.measured("p50", Run::latency, Timing::p50),
						Column.measured("p95", Run::latency, Timing::p95),
						Column.measured("p99", Run::latency, Timing::p99),
						Column.measured("max", Run::latency, Timing::max),
						Column.count("failed", (run) -> run.tally().failed()),
						Column.count("not sent", (run) -> run.tally().notSent()),
						Column.measured("lag p99", (run) -> run.lag().p99()),
						Column.measured("CPU per request", Run::cpuMillisPerRequest)));
	}

	private static Section seconds(Run run, String id) {
		Section section = new Section(id, run.name());
		section.paragraph("%s to %s, %s requests per second for %s s.".formatted(run.mode(), run.target(),
				Figures.measured(run.requestsPerSecond()), Figures.measured(run.millis() / 1_000.0)));
		List<Second> seconds = run.seconds();
		if (seconds.isEmpty()) {
			return section;
		}
		List<Chart.Panel> panels = List.of(
				Chart.Panel.of("Outstanding requests", 0, "area", seconds, Second::outstanding),
				Chart.Panel.of("Responses in the second", 1, "area", seconds, Second::answeredNow),
				Chart.Panel.of("Mean latency of those, ms", 2, "area", seconds, Second::latencyMillis),
				Chart.Panel.of("Platform threads of the client", 3, "area", seconds, Second::threads));
		section.seconds(new Chart.Seconds("Second by second", seconds.size(), panels, List.of()));
		return section;
	}

}
