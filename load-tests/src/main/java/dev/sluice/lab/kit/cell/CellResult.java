package dev.sluice.lab.kit.cell;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The result of one cell. All figures belong to one window on one clock, from the start
 * of the first request until the backend had saved all of the cell's orders. Counters are
 * end minus start.
 *
 * @param cell the cell
 * @param start start of the first request
 * @param end last save, or when the run gave up
 * @param calls of {@code POST /orders}, retries included
 * @param failedCalls not answered 201 or 202
 * @param failures failed calls by cause, such as {@code HTTP 503}
 * @param accepted orders answered 201 or 202
 * @param saved different orders that the backend saved
 * @param savedPerSecond over the whole window
 * @param acceptedPerSecond from the first call to the last accepted one
 * @param latency of answered calls, by the client's clock
 * @param toAccepted from an order's first try until accepted
 * @param toSaved from an order's first try until saved
 * @param services resources by service; the gateway's is {@code gateway}
 * @param connectionsOpened TCP connections that the backend accepted
 * @param backendMaxInFlight most orders at the backend at once
 * @param foreignCpuShare CPU share of other processes
 * @param startLagP99Millis lateness of the load generator, for orders due by the clock
 * @param problem why it is unreliable or incomplete
 * @param utilisation how busy everything was, and what limited the cell
 */
public record CellResult(Cell cell, Instant start, Instant end, long calls, long failedCalls,
		Map<String, Long> failures, long accepted, long saved, double savedPerSecond, double acceptedPerSecond,
		@Nullable Timing latency, @Nullable Wait toAccepted, @Nullable Wait toSaved, Map<String, ServiceCost> services,
		@Nullable Long connectionsOpened, @Nullable Integer backendMaxInFlight, @Nullable Double foreignCpuShare,
		@Nullable Integer startLagP99Millis, @Nullable String problem, @Nullable Utilisation utilisation) {

	/** A load generator may always begin this late, in milliseconds. */
	private static final double LAG_LIMIT_MILLIS = 50;

	public CellResult {
		Objects.requireNonNull(cell, "cell");
		Objects.requireNonNull(start, "start");
		Objects.requireNonNull(end, "end");
		failures = Map.copyOf(failures);
		services = Map.copyOf(services);
	}

	/**
	 * Whether a load generator was so late that the latencies are unreliable: later than
	 * both 50 ms and the median latency.
	 * @param startLagP99Millis its lag; null if it was not noted
	 * @param latency latency of the calls; null if none was answered
	 */
	public static boolean isLagged(@Nullable Integer startLagP99Millis, @Nullable Timing latency) {
		return startLagP99Millis != null && latency != null
				&& startLagP99Millis > Math.max(LAG_LIMIT_MILLIS, Objects.requireNonNullElse(latency.p50(), 0.0));
	}

	/** The median wait until accepted, in milliseconds; null if unknown. */
	public @Nullable Double acceptedP50() {
		return (this.toAccepted != null) ? this.toAccepted.p50() : null;
	}

	/** The median wait until saved, in milliseconds; null if unknown. */
	public @Nullable Double savedP50() {
		return (this.toSaved != null) ? this.toSaved.p50() : null;
	}

	/**
	 * How long all orders of a cell waited, including those that were retried and those
	 * that never finished. A percentile is exact (nearest rank); it is null if fewer than
	 * ten orders waited longer, or if the order at its rank is still waiting.
	 *
	 * @param orders placed
	 * @param unfinished not finished within the cell's time
	 * @param p50 in milliseconds, as the others
	 */
	public record Wait(long orders, long unfinished, @Nullable Double p50, @Nullable Double p95, @Nullable Double p99) {
	}

	/**
	 * Resources that a service used in the window. A figure is null where it could not be
	 * measured, for example because the window was shorter than the sampling interval.
	 *
	 * @param cpuMillisPerOrder CPU time per saved order
	 * @param gcPauses stop-the-world pauses
	 * @param gcPauseMillis their sum
	 * @param gcPauseMaxMillis the longest
	 * @param peakThreads platform threads
	 * @param peakRssBytes resident memory
	 */
	public record ServiceCost(@Nullable Double cpuMillisPerOrder, @Nullable Integer gcPauses,
			@Nullable Double gcPauseMillis, @Nullable Double gcPauseMaxMillis, @Nullable Integer peakThreads,
			@Nullable Long peakRssBytes) {
	}

}
