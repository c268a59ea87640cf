package dev.sluice.lab.kit.cell;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * What one cell came to. Every figure belongs to the one window from the first request's
 * start to the moment the backend had saved all of the cell's orders, by one clock.
 * Counters are end minus start.
 *
 * @param cell which
 * @param start the first request's start
 * @param end when the last order was saved; where not all were, when the run gave up
 * @param calls the client's calls of {@code POST /orders}, repeats included
 * @param failedCalls calls that were not answered 201 or 202
 * @param failures failed calls by what they failed of, such as {@code HTTP 503}
 * @param accepted orders that were answered 201 or 202
 * @param saved different orders the backend saved
 * @param savedPerSecond saved orders by the length of the window
 * @param acceptedPerSecond accepted orders by the time from the first call's start to the
 * end of the last call that was accepted
 * @param latency of an answered call, in milliseconds, by the client's clock
 * @param toAccepted from an order's first try until it was accepted, in milliseconds;
 * null if it was not noted
 * @param toSaved from an order's first try until the backend had saved it, likewise
 * @param services what each service spent, by name; the gateway's is {@code gateway}
 * @param connectionsOpened TCP connections the backend accepted; null if not known
 * @param backendMaxInFlight the most orders the backend had in process at once; null if
 * not known
 * @param foreignCpuShare share of the machine's CPU used by other processes, 0 to 1, in
 * the window or, where it is shorter, in the second around it; null if it is not known
 * @param startLagP99Millis how late the load generator began 99 % of the orders that were
 * due by the clock, or with the first, at most; null if it was not noted
 * @param problem why the cell cannot be believed or is incomplete; null if it can
 * @param utilisation how busy everything was, and what bound the cell; null if that was
 * not evaluated
 * @param seconds the window second by second
 */
public record CellResult(Cell cell, Instant start, Instant end, long calls, long failedCalls,
		Map<String, Long> failures, long accepted, long saved, double savedPerSecond, double acceptedPerSecond,
		@Nullable Latency latency, @Nullable Wait toAccepted, @Nullable Wait toSaved, Map<String, ServiceCost> services,
		@Nullable Long connectionsOpened, @Nullable Integer backendMaxInFlight, @Nullable Double foreignCpuShare,
		@Nullable Integer startLagP99Millis, @Nullable String problem, @Nullable Utilisation utilisation,
		List<Second> seconds) {

	/** As late as that a load generator may always begin, in milliseconds. */
	private static final double LAG_LIMIT_MILLIS = 50;

	public CellResult {
		Objects.requireNonNull(cell, "cell");
		Objects.requireNonNull(start, "start");
		Objects.requireNonNull(end, "end");
		failures = Map.copyOf(failures);
		services = Map.copyOf(services);
		seconds = List.copyOf(seconds);
	}

	/** One whose utilisation was not evaluated. */
	public CellResult(Cell cell, Instant start, Instant end, long calls, long failedCalls, Map<String, Long> failures,
			long accepted, long saved, double savedPerSecond, double acceptedPerSecond, @Nullable Latency latency,
			@Nullable Wait toAccepted, @Nullable Wait toSaved, Map<String, ServiceCost> services,
			long connectionsOpened, int backendMaxInFlight, @Nullable Double foreignCpuShare,
			@Nullable Integer startLagP99Millis, @Nullable String problem, List<Second> seconds) {
		this(cell, start, end, calls, failedCalls, failures, accepted, saved, savedPerSecond, acceptedPerSecond,
				latency, toAccepted, toSaved, services, connectionsOpened, backendMaxInFlight, foreignCpuShare,
				startLagP99Millis, problem, null, seconds);
	}

	/** The same, with what clients waited for. */
	public CellResult waiting(@Nullable Wait accepted, @Nullable Wait saved) {
		return new CellResult(this.cell, this.start, this.end, this.calls, this.failedCalls, this.failures,
				this.accepted, this.saved, this.savedPerSecond, this.acceptedPerSecond, this.latency, accepted, saved,
				this.services, this.connectionsOpened, this.backendMaxInFlight, this.foreignCpuShare,
				this.startLagP99Millis, this.problem, this.utilisation, this.seconds);
	}

	/**
	 * Whether a load generator was too late for the latencies to be believed: by more
	 * than half of the calls took.
	 * @param startLagP99Millis its lag; null if it was not noted
	 * @param latency of the calls; null if none was answered
	 */
	public static boolean isLagged(@Nullable Integer startLagP99Millis, @Nullable Latency latency) {
		return startLagP99Millis != null && latency != null
				&& startLagP99Millis > Math.max(LAG_LIMIT_MILLIS, Objects.requireNonNullElse(latency.p50(), 0.0));
	}

	/** What bound the cell, as a sentence; empty if too little is known. */
	public String boundBy() {
		return (this.utilisation != null && this.utilisation.bound() != null) ? this.utilisation.bound().sentence()
				: "";
	}

	/**
	 * How long all orders of a cell waited, those that failed and were retried and those
	 * that never came to an end included. A percentile is exact (nearest rank); it is
	 * null if fewer than ten orders waited longer, or the order at its rank waits still.
	 *
	 * @param orders placed
	 * @param unfinished that came to no end within the cell's time
	 * @param p50 median, in milliseconds
	 * @param p95 in milliseconds
	 * @param p99 in milliseconds
	 */
	public record Wait(long orders, long unfinished, @Nullable Double p50, @Nullable Double p95, @Nullable Double p99) {
	}

	/**
	 * Latencies in milliseconds; the percentiles are exact (nearest rank), not estimated,
	 * and null with fewer than ten calls above.
	 */
	public record Latency(double mean, @Nullable Double p50, @Nullable Double p95, @Nullable Double p99, double max) {

		/**
		 * What 99 % of the calls did not exceed: the 99th percentile or, of too few calls
		 * for one, the greatest.
		 */
		public double p99AtMost() {
			return Objects.requireNonNullElse(this.p99, this.max);
		}

	}

	/**
	 * What a service spent in the window. A figure is null where it could not be
	 * measured, for example because the window was shorter than the sampling interval.
	 *
	 * @param cpuMillisPerOrder CPU time per saved order, in milliseconds
	 * @param allocatedBytesPerOrder bytes allocated on the heap per saved order
	 * @param promotedBytesPerOrder bytes promoted to the old generation per saved order
	 * @param gcPauses stop-the-world pauses
	 * @param gcPauseMillis their sum, in milliseconds
	 * @param gcPauseMaxMillis the longest, in milliseconds
	 * @param peakThreads platform threads at most
	 * @param peakRssBytes resident memory at most
	 * @param peakConnections open connections that it accepted, at most, by the kernel's
	 * table once a second
	 * @param peakPooled open connections in its pool to the backend, at most, by its own
	 * gauge once a second
	 */
	public record ServiceCost(@Nullable Double cpuMillisPerOrder, @Nullable Double allocatedBytesPerOrder,
			@Nullable Double promotedBytesPerOrder, @Nullable Integer gcPauses, @Nullable Double gcPauseMillis,
			@Nullable Double gcPauseMaxMillis, @Nullable Integer peakThreads, @Nullable Long peakRssBytes,
			@Nullable Integer peakConnections, @Nullable Integer peakPooled) {
	}

	/**
	 * One second of the window; of the gateway where it says nothing else.
	 *
	 * @param second from 0
	 * @param calls calls answered in it
	 * @param failedCalls calls failed in it
	 * @param p99Millis of the calls answered in it; null with fewer than ten above
	 * @param gcPauseMillis stop-the-world time in it; null if not recorded
	 * @param threads platform threads; null if not sampled
	 * @param heapUsedBytes used heap, the last value known; null if not sampled
	 * @param cpuShare CPU used, 1 = one core; null if not sampled
	 * @param connections open ones that it accepted, the last value known; null if not
	 * sampled
	 * @param pooled open connections in its pool to the backend, the last value known;
	 * null if not sampled
	 */
	public record Second(int second, long calls, long failedCalls, @Nullable Double p99Millis,
			@Nullable Double gcPauseMillis, @Nullable Integer threads, @Nullable Long heapUsedBytes,
			@Nullable Double cpuShare, @Nullable Integer connections, @Nullable Integer pooled) {
	}

}
