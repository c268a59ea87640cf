package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * How fast the consumer delivered a backlog.
 *
 * @param orders in the backlog
 * @param deliveryConcurrency orders delivered at once
 * @param delayMillis time of the backend for an order
 * @param counted orders delivered while the rate was measured
 * @param seconds for which the rate was measured
 * @param perSecond orders delivered
 * @param use resources used in that time
 */
@JsonTypeName("drain")
public record DrainResult(int orders, int deliveryConcurrency, long delayMillis, long counted, double seconds,
		double perSecond, List<Use> use) implements Finding {

	public DrainResult {
		// Results from before 2026-11-24 have none.
		use = (use != null) ? List.copyOf(use) : List.of();
	}

	/**
	 * Resources that a process used; null where not sampled.
	 *
	 * @param process its name
	 * @param cpuMicrosPerOrder CPU time
	 * @param peakRssBytes resident memory
	 * @param peakThreads platform threads
	 */
	public record Use(String process, @Nullable Double cpuMicrosPerOrder, @Nullable Long peakRssBytes,
			@Nullable Integer peakThreads) {
	}

	/** Orders per second that the limit allows. */
	public double idealPerSecond() {
		return this.deliveryConcurrency * 1_000.0 / this.delayMillis;
	}

	/** The rate as a share of what the limit allows, 0 to 1. */
	public double share() {
		return this.perSecond / idealPerSecond();
	}

}
