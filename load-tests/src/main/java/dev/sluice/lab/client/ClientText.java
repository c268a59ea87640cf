package dev.sluice.lab.client;

import java.util.Locale;

import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Reference;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** The results of runs of the client as text of 100 columns. */
final class ClientText {

	private ClientText() {
	}

	static String of(ClientResult result) {
		StringBuilder text = new StringBuilder();
		text.append("%-34s %8s %9s %11s %10s %8s%n".formatted("At the end", "requests", "responses", "outstanding",
				"latency", "threads"));
		for (Run run : result.runs()) {
			Second last = run.last();
			if (last != null) {
				row(text, run.name(), last.sent(), last.answered(), last.outstanding(), last.latencyMillis(),
						last.threads());
			}
			Reference reference = run.reference();
			if (reference != null) {
				row(text, "  the reference's", reference.requests(), reference.responses(), reference.outstanding(),
						reference.latencyMillis(), reference.threads());
			}
		}
		text.append("%n%-34s %9s %9s %9s %9s %9s %9s %9s%n".formatted("Latency since due, ms", "answers/s", "p50",
				"p95", "p99", "max", "lag p99", "CPU ms/r"));
		for (Run run : result.runs()) {
			Timing latency = run.latency();
			text.append("%-34s %9s %9s %9s %9s %9s %9s %9s%n".formatted(run.name(), millis(run.answersPerSecond()),
					millis((latency != null) ? latency.p50() : null), millis((latency != null) ? latency.p95() : null),
					millis((latency != null) ? latency.p99() : null), millis((latency != null) ? latency.max() : null),
					millis(run.lag().p99()), millis(run.cpuMillisPerRequest())));
			if (run.tally().notSent() > 0 || run.tally().failed() > 0) {
				text.append("  %,d of %,d not sent, as too many were outstanding; %,d failed %s%n"
					.formatted(run.tally().notSent(), run.tally().due(), run.tally().failed(), run.tally().failures()));
			}
		}
		return text.toString();
	}

	private static void row(StringBuilder text, String name, long requests, long responses, long outstanding,
			@Nullable Double latency, int threads) {
		text.append("%-34s %,8d %,9d %,11d %10s %,8d%n".formatted(name, requests, responses, outstanding,
				(latency != null) ? "%,.0f ms".formatted(latency) : "-", threads));
	}

	private static String millis(@Nullable Double value) {
		return (value != null) ? String.format(Locale.ROOT, "%,.2f", value) : "-";
	}

}
