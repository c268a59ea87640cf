package dev.sluice.lab.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Reference;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import org.jspecify.annotations.Nullable;

/** What {@code lab client} shows: which clients kept up, and each second by second. */
public final class ClientPage {

	/** Factor allowed over what rate and least latency explain. */
	private static final double SLACK = 1.5;

	private ClientPage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(ClientResult result) {
		List<Section> sections = new ArrayList<>();
		sections.add(new Section("overview", "Does a client that waits this way keep up?", answers(result),
				result.runs().isEmpty() ? List.of() : List.of(ends(result), latencies(result)), ClientPage::overview));
		for (Run run : result.runs()) {
			sections.add(new Section("run-" + sections.size(), run.name(), (html) -> seconds(run, html)));
		}
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

	private static List<String> answers(ClientResult result) {
		return result.runs().isEmpty() ? List.of("Nothing was sent.")
				: result.runs().stream().map(ClientPage::answer).toList();
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

	private static void overview(Html html) {
		html.note(
				"An open model: requests are due by the clock and sent whatever is outstanding; latency counts from when a request was due, of answered requests. Kept up: every request was sent, none failed, and at the end at most half as many more are outstanding than rate times least latency, or than are due in a second. Lag: how late requests were sent, the generator's own fault, part of every latency. CPU: of the whole client process. A run is marked %s if its lag's p99 exceeds %s ms or others used more than %s of the machine's CPU or an unknown share."
					.formatted(Reliability.SIGN, Figures.measured(Reliability.LAG_LIMIT_MILLIS),
							Figures.percent(Reliability.FOREIGN_CPU_LIMIT)));
	}

	/** The end of a run of ours, or of the reference's. */
	private record End(String name, String whose, long requests, long responses, long outstanding,
			@Nullable Double latencyMillis, int threads) {

		static Stream<End> of(Run run) {
			Stream.Builder<End> ends = Stream.builder();
			Second last = run.last();
			if (last != null) {
				ends.add(new End(Reliability.sign(run.name(), marked(run)), "ours", last.sent(), last.answered(),
						last.outstanding(), last.latencyMillis(), last.threads()));
			}
			Reference there = run.reference();
			if (there != null) {
				ends.add(new End("", "the reference's, after %s s".formatted(there.elapsedSeconds()), there.requests(),
						there.responses(), there.outstanding(), there.latencyMillis(), there.threads()));
			}
			return ends.build();
		}

	}

	private static Table ends(ClientResult result) {
		return Table.of("At the end of the load", result.runs().stream().flatMap(End::of).toList(),
				List.of(Column.words("Run", End::name), Column.words("whose", End::whose),
						Column.count("requests", End::requests), Column.count("responses", End::responses),
						Column.count("outstanding", End::outstanding),
						Column.measured("latency in the last second, ms", End::latencyMillis),
						Column.count("threads", End::threads)));
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

	private static void seconds(Run run, Html html) {
		html.paragraph("%s to %s, %s requests per second for %s s.".formatted(run.mode(), run.target(),
				Figures.measured(run.requestsPerSecond()), Figures.measured(run.millis() / 1_000.0)));
		List<Second> seconds = run.seconds();
		if (seconds.isEmpty()) {
			return;
		}
		List<Chart.Panel> panels = List.of(
				Chart.Panel.of("Outstanding requests", 0, "area", seconds, Second::outstanding),
				Chart.Panel.of("Responses in the second", 1, "area", seconds, Second::answeredNow),
				Chart.Panel.of("Mean latency of those, ms", 2, "area", seconds, Second::latencyMillis),
				Chart.Panel.of("Platform threads of the client", 3, "area", seconds, Second::threads));
		html.seconds(Chart.Seconds.of("Second by second",
				"Outstanding requests, responses, latency and threads at the end of each second.", seconds.size(),
				panels, List.of()));
	}

}
