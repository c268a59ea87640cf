package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.statistics.Timing;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * Gateways that wait for a backend, by its delay and the requests in flight.
 *
 * @param smallPool threads of the small pool
 * @param cells in order of execution
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
	 * @param variant with its pool if that is not the usual one
	 * @param delayMillis time of the backend for an order
	 * @param concurrency requests in flight
	 * @param seconds from first request to last answer
	 * @param answered 201
	 * @param failures other requests by cause
	 * @param latency of the answered requests
	 * @param executingMost most requests at the backend at once
	 * @param service resources used by the gateway
	 * @param foreignCpuShare CPU share of other processes
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

		/** Requests in flight beyond those that were at the backend at once. */
		public int queued() {
			return Math.max(0, this.concurrency - this.executingMost);
		}

		/** Requests answered 503, of any problem type. */
		public long refused() {
			return this.failures.entrySet()
				.stream()
				.filter((failure) -> failure.getKey().startsWith("HTTP 503"))
				.mapToLong(Map.Entry::getValue)
				.sum();
		}

	}

	/**
	 * Resources that the gateway used; null where not sampled.
	 *
	 * @param cpuMillisPerRequest CPU time
	 * @param cpuShare 1 = one core
	 * @param rssBytes greatest resident memory
	 * @param threads most operating-system threads
	 */
	public record Cost(@Nullable Double cpuMillisPerRequest, @Nullable Double cpuShare, @Nullable Long rssBytes,
			@Nullable Integer threads) {
	}

}
