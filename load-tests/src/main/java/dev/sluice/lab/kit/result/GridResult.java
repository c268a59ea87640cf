package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.statistics.Timing;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Gateways that wait for a backend, over its delay and the requests in flight.
 *
 * @param smallPool threads of the small pool
 * @param cells in the order they were run
 */
@JsonTypeName("grid")
public record GridResult(int smallPool, List<Cell> cells) implements Finding {

	public GridResult {
		cells = List.copyOf(cells);
	}

	@Override
	public List<@Nullable Double> foreignCpuShares() {
		return this.cells.stream().<@Nullable Double>map(Cell::foreignCpuShare).toList();
	}

	/**
	 * One variant at one delay and one number of requests in flight: a closed model.
	 *
	 * @param variant with its pool, where that is not the usual one
	 * @param delayMillis that the backend takes for an order
	 * @param concurrency requests in flight
	 * @param seconds from the first request to the last answer
	 * @param answered requests answered 201
	 * @param failures what became of the others, and how often
	 * @param latency of the answered ones; null if there are none
	 * @param executingMost requests that the backend had at once, at most: those that the
	 * gateway executed; the others waited in it
	 * @param service what the gateway spent
	 * @param foreignCpuShare of the machine's CPU, 0 to 1, in other hands; null if not
	 * sampled
	 */
	public record Cell(String variant, long delayMillis, int concurrency, double seconds, long answered,
			Map<String, Long> failures, @Nullable Timing latency, int executingMost, Cost service,
			@Nullable Double foreignCpuShare) {

		public Cell {
			Objects.requireNonNull(variant, "variant");
			failures = Map.copyOf(failures);
		}

		/** Requests answered 201. */
		public double perSecond() {
			return (this.seconds > 0) ? this.answered / this.seconds : 0;
		}

		/** Requests in flight that were never at the backend at once. */
		public int queued() {
			return Math.max(0, this.concurrency - this.executingMost);
		}

		public long refused() {
			return this.failures.getOrDefault("HTTP 503", 0L);
		}

	}

	/**
	 * What the gateway spent; null where it was not sampled.
	 *
	 * @param cpuMillisPerRequest CPU time
	 * @param cpuShare 1 = one core
	 * @param rssBytes resident memory, at most
	 * @param threads of the operating system, at most
	 */
	public record Cost(@Nullable Double cpuMillisPerRequest, @Nullable Double cpuShare, @Nullable Long rssBytes,
			@Nullable Integer threads) {
	}

}
