package dev.sluice.lab.kit.result;

import com.fasterxml.jackson.annotation.JsonTypeName;

/**
 * How fast the consumer delivered a backlog.
 *
 * @param orders in the backlog
 * @param deliveryConcurrency orders delivered at once
 * @param delayMillis time of the backend for an order
 * @param counted orders delivered while the rate was measured
 * @param seconds for which the rate was measured
 * @param perSecond orders delivered
 */
@JsonTypeName("drain")
public record DrainResult(int orders, int deliveryConcurrency, long delayMillis, long counted, double seconds,
		double perSecond) implements Finding {

	/** Orders per second that the limit allows. */
	public double idealPerSecond() {
		return this.deliveryConcurrency * 1_000.0 / this.delayMillis;
	}

	/** The rate as a share of what the limit allows, 0 to 1. */
	public double share() {
		return this.perSecond / idealPerSecond();
	}

}
