package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.cell.Timing;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The results of requests that were sent on schedule.
 *
 * @param runs in order of execution
 */
@JsonTypeName("client")
public record ClientResult(List<Run> runs) implements Finding {

	public ClientResult {
		runs = List.copyOf(runs);
	}

	/**
	 * One run: due = sent + not sent, and sent = answered + broken + outstanding.
	 *
	 * @param name unique
	 * @param mode how the client waits
	 * @param threads threads to wait with, at first
	 * @param target URI
	 * @param requestsPerSecond due
	 * @param millis time for which requests were sent
	 * @param tally requests by outcome
	 * @param latency from when a request was due
	 * @param lag lateness of the load generator
	 * @param cpuMillisPerRequest CPU time of the load generator
	 * @param foreignCpuShare CPU share of other processes
	 * @param reference the reference's last line for this run
	 */
	public record Run(String name, String mode, @Nullable Integer threads, String target, double requestsPerSecond,
			long millis, Tally tally, @Nullable Timing latency, Timing lag, @Nullable Double cpuMillisPerRequest,
			@Nullable Double foreignCpuShare, List<Second> seconds, @Nullable Reference reference) {

		public Run {
			Objects.requireNonNull(name, "name");
			Objects.requireNonNull(tally, "tally");
			Objects.requireNonNull(lag, "lag");
			seconds = List.copyOf(seconds);
		}

		/** The last whole second in which requests were sent; null if there is none. */
		public @Nullable Second last() {
			int whole = (int) Math.min(this.seconds.size(), this.millis / 1_000);
			return (whole > 0) ? this.seconds.get(whole - 1) : null;
		}

	}

	/**
	 * Requests, each counted once.
	 *
	 * @param due requests due on schedule
	 * @param notSent given up because too many were outstanding
	 * @param answered with any status
	 * @param outstanding unanswered at the end
	 * @param failures status of 400 or above, or no answer, by cause
	 */
	public record Tally(long due, long sent, long notSent, long answered, long outstanding,
			Map<String, Long> failures) {

		public Tally {
			failures = Map.copyOf(failures);
		}

		public long failed() {
			return this.failures.values().stream().mapToLong(Long::longValue).sum();
		}

		/** Requests that were answered without a failure. */
		public long succeeded() {
			return this.sent - failed() - this.outstanding;
		}

	}

	/**
	 * One second, as in the status line.
	 *
	 * @param second from 1
	 * @param sent since the start
	 * @param answered since the start
	 * @param outstanding at its end
	 * @param sentNow in this second
	 * @param answeredNow in this second
	 * @param latencyMillis their mean
	 * @param threads platform threads
	 */
	public record Second(int second, long sent, long answered, long outstanding, long sentNow, long answeredNow,
			@Nullable Double latencyMillis, int threads) {
	}

	/**
	 * The same run elsewhere, from its last status line.
	 *
	 * @param requests total
	 * @param responses total
	 * @param latencyMillis mean of the last second
	 * @param healthy whether the client kept up
	 */
	public record Reference(int elapsedSeconds, long requests, long responses, long outstanding, double latencyMillis,
			int threads, boolean healthy) {
	}

}
