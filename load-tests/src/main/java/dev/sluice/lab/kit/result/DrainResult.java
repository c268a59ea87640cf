package dev.sluice.lab.kit.result;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * How fast the consumer delivered a backlog.
 *
 * @param orders in the backlog
 * @param deliveryConcurrency orders delivered at once
 * @param delayMillis that the backend took for an order, in the mean
 * @param counted orders delivered while the rate was taken, in the middle of the backlog
 * @param seconds for which the rate was taken
 * @param perSecond orders a second
 * @param source how the consumer read them, as {@code delivery.source} says
 * @param delays how the times that the backend took were spread
 * @param use what the consumer and the servers used meanwhile
 */
@JsonTypeName("drain")
public record DrainResult(int orders, int deliveryConcurrency, long delayMillis, long counted, double seconds,
		double perSecond, String source, String delays, List<Use> use) implements Finding {

	public DrainResult {
		// Results of before 2026-11-24 have none.
		use = (use != null) ? List.copyOf(use) : List.of();
	}

	/**
	 * What a process used; null where it was not seen.
	 *
	 * @param process its name
	 * @param cpuMicrosPerOrder CPU time, in microseconds an order
	 * @param peakRssBytes greatest resident memory
	 * @param peakThreads greatest number of platform threads
	 */
	public record Use(String process, @Nullable Double cpuMicrosPerOrder, @Nullable Long peakRssBytes,
			@Nullable Integer peakThreads) {
	}

	/** Orders a second that the limit allows. */
	public double idealPerSecond() {
		return this.deliveryConcurrency * 1_000.0 / this.delayMillis;
	}

	/** The rate as a share of what the limit allows, 0 to 1. */
	public double share() {
		return this.perSecond / idealPerSecond();
	}

}
