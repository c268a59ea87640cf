package dev.sluice.lab.client;

import java.util.List;

import dev.sluice.lab.kit.page.ClientReliability;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Reference;
import dev.sluice.lab.kit.result.ClientResult.Stopped;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** Which clients kept up, compared with the reference's. */
final class OverviewSection extends Section {

	/** Tolerance for the times of a stop and its end, which are known to the second. */
	private static final double NEARLY = 0.8;

	private final ClientResult result;

	OverviewSection(ClientResult result) {
		super("overview", "Does a client that waits this way keep up?");
		this.result = result;
	}

	@Override
	public List<String> answers(RunResult run) {
		return this.result.runs().isEmpty() ? List.of("Nothing was sent.")
				: this.result.runs().stream().map(OverviewSection::sentence).toList();
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(answers(run), "class", "answer");
		if (this.result.runs().isEmpty()) {
			return;
		}
		ends().write(html);
		latencies().write(html);
		html.element("p",
				"An open model: requests are due by the clock and sent whatever is outstanding; latency counts from when a request was due, of answered requests. Kept up: every request was sent, none failed, and at the end at most half as many more are outstanding than rate times least latency, or than are due in a second. Lag: how late requests were sent, the generator's own fault, part of every latency. CPU: of the whole client process. A run is marked %s if its lag's p99 exceeds %s ms or others used more than %s of the machine's CPU or an unknown share."
					.formatted(Reliability.SIGN, Figures.measured(ClientReliability.LAG_LIMIT_MILLIS),
							Figures.percent(Reliability.FOREIGN_CPU_LIMIT)),
				"class", "note");
	}

	private static String sentence(Run run) {
		return (run.stopped() != null) ? stopped(run, run.stopped()) : completed(run);
	}

	/**
	 * Requests that came due while the target was stopped waited for the rest of that
	 * time; the median lies among them if they are more than half of all.
	 */
	private static String stopped(Run run, Stopped stopped) {
		double share = (stopped.toSecond() - stopped.fromSecond()) * 1_000.0 / run.millis();
		double expected = Math.max(0, (share - 0.5) / share) * (stopped.toSecond() - stopped.fromSecond()) * 1_000;
		Timing latency = run.latency();
		if (latency == null || latency.p50() == null) {
			return "%s: too few requests were answered for a median.".formatted(run.name());
		}
		return "%s: median %s ms, p99 %s ms. Of requests sent by the clock %s came due while it was stopped, which makes the median %s ms at least: %s."
			.formatted(run.name(), Figures.measured(latency.p50()), Figures.measured(latency.p99()),
					Figures.percent(share), Figures.measured(expected),
					(latency.p50() >= expected * NEARLY) ? "the stop is seen" : "the stop is NOT seen");
	}

	private static String completed(Run run) {
		Second last = run.last();
		String end = (last != null) ? "%s requests outstanding after %s s, of %s sent"
			.formatted(Figures.count(last.outstanding()), Figures.count(last.second()), Figures.count(last.sent()))
				: "it ended within a second";
		String failed = Figures.count(run.tally().failed());
		Reference reference = run.reference();
		String verdict = ClientReliability.keptUp(run) ? "kept up" : "did not keep up";
		if (reference == null) {
			return "%s: %s; %s, %s failed.".formatted(run.name(), verdict, end, failed);
		}
		boolean same = reference.healthy() == ClientReliability.keptUp(run);
		return "%s: %s, as in the reference: %s; %s, %s failed.".formatted(run.name(), verdict,
				same ? "reproduced" : "NOT reproduced", end, failed);
	}

	private Table ends() {
		Table table = new Table("At the end of the load", 2, List.of("Run", "whose", "requests", "responses",
				"outstanding", "mean latency of the last second, ms", "threads"));
		for (Run run : this.result.runs()) {
			Second last = run.last();
			if (last != null) {
				table.row(Reliability.sign(run.name(), ClientReliability.marked(run)), "ours",
						Figures.count(last.sent()), Figures.count(last.answered()), Figures.count(last.outstanding()),
						Figures.measured(last.latencyMillis()), Figures.count(last.threads()));
			}
			Reference reference = run.reference();
			if (reference != null) {
				table.row("", "the reference's, after %d s".formatted(reference.elapsedSeconds()),
						Figures.count(reference.requests()), Figures.count(reference.responses()),
						Figures.count(reference.outstanding()), Figures.measured(reference.latencyMillis()),
						Figures.count(reference.threads()));
			}
		}
		return table;
	}

	private Table latencies() {
		Table table = new Table("All answered requests, latency since due, and the generator itself; in milliseconds",
				1, List.of("Run", "min", "p50", "mean", "p95", "p99", "max", "failed", "not sent", "lag p99", "lag max",
						"CPU per request", "foreign CPU"));
		for (Run run : this.result.runs()) {
			Timing latency = run.latency();
			table.row(Reliability.sign(run.name(), ClientReliability.marked(run)),
					measured((latency != null) ? latency.min() : null),
					measured((latency != null) ? latency.p50() : null),
					measured((latency != null) ? latency.mean() : null),
					measured((latency != null) ? latency.p95() : null),
					measured((latency != null) ? latency.p99() : null),
					measured((latency != null) ? latency.max() : null), Figures.count(run.tally().failed()),
					Figures.count(run.tally().notSent()), measured(run.lag().p99()), measured(run.lag().max()),
					measured(run.cpuMillisPerRequest()),
					(run.foreignCpuShare() != null) ? Figures.percent(run.foreignCpuShare()) : Figures.NONE);
		}
		return table;
	}

	private static String measured(@Nullable Double value) {
		return Figures.measured(value);
	}

}
