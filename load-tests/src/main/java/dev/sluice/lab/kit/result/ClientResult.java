package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.statistics.Timing;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The results of requests that were sent on schedule.
 *
 * @param runs in the order they were run
 */
@JsonTypeName("client")
public record ClientResult(List<Run> runs) implements Finding {

	public ClientResult {
		runs = List.copyOf(runs);
	}

	@Override
	public List<@Nullable Double> foreignCpuShares() {
		return this.runs.stream().<@Nullable Double>map(Run::foreignCpuShare).toList();
	}

	/**
	 * One run: due = sent + not sent, and sent = answered + broken + outstanding.
	 *
	 * @param name unique in the result
	 * @param mode how the client waited for answers
	 * @param threads threads that it may wait with, the initial number if that grows;
	 * null if waiting needs none
	 * @param target the URI
	 * @param requestsPerSecond requests due per second
	 * @param millis time for which requests were sent
	 * @param tally number of requests by outcome
	 * @param latency latency of the answered ones, from when they were due; null if there
	 * are none
	 * @param lag how late requests were sent: the load generator's own fault
	 * @param cpuMillisPerRequest CPU time of the load generator; null if it sent none
	 * @param foreignCpuShare share of the machine's CPU that neither generator nor target
	 * used, 0 to 1; null if not sampled
	 * @param seconds the seconds in order
	 * @param reference the last line of the same run in the measurement that this
	 * repeats; null if there is none
	 * @param stopped when the target was stopped during the run; null if it was not
	 */
	public record Run(String name, String mode, @Nullable Integer threads, String target, double requestsPerSecond,
			long millis, Tally tally, @Nullable Timing latency, Timing lag, @Nullable Double cpuMillisPerRequest,
			@Nullable Double foreignCpuShare, List<Second> seconds, @Nullable Reference reference,
			@Nullable Stopped stopped) {

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

		/**
		 * The rate of answers from the end of the first second to that of the last; null
		 * if there is nothing between.
		 */
		public @Nullable Double answersPerSecond() {
			Second last = last();
			if (last == null || last.second() < 2) {
				return null;
			}
			return (double) (last.answered() - this.seconds.getFirst().answered()) / (last.second() - 1);
		}

	}

	/**
	 * A time for which the target was stopped, as by SIGSTOP: it neither answered nor
	 * refused.
	 *
	 * @param fromSecond of the run
	 * @param toSecond of the run
	 */
	public record Stopped(int fromSecond, int toSecond) {
	}

	/**
	 * Requests, each counted once.
	 *
	 * @param due requests due on schedule
	 * @param sent requests sent
	 * @param notSent requests given up when due, because too many were outstanding
	 * @param answered requests answered with any status
	 * @param outstanding requests without an answer when the run ended
	 * @param failures number of failures by cause: an answer of 400 or above, or none
	 */
	public record Tally(long due, long sent, long notSent, long answered, long outstanding,
			Map<String, Long> failures) {

		public Tally {
			failures = Map.copyOf(failures);
		}

		public long failed() {
			return this.failures.values().stream().mapToLong(Long::longValue).sum();
		}

		/** Whether requests were sent and not one succeeded. */
		public boolean allFailed() {
			return this.sent > 0 && failed() + this.outstanding >= this.sent;
		}

	}

	/**
	 * One second, as in the status line.
	 *
	 * @param second from 1
	 * @param sent requests since the start
	 * @param answered since the start
	 * @param outstanding at its end
	 * @param sentNow in this second
	 * @param answeredNow in this second
	 * @param latencyMillis the mean of those; null if there are none
	 * @param threads platform threads of the process
	 */
	public record Second(int second, long sent, long answered, long outstanding, long sentNow, long answeredNow,
			@Nullable Double latencyMillis, int threads) {
	}

	/**
	 * The same run elsewhere, from its last status line.
	 *
	 * @param requests total
	 * @param responses total
	 * @param latencyMillis the mean of its last second
	 * @param healthy whether the client kept up
	 */
	public record Reference(int elapsedSeconds, long requests, long responses, long outstanding, double latencyMillis,
			int threads, boolean healthy) {
	}

}
