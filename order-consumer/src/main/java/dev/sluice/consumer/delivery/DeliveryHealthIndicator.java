package dev.sluice.consumer.delivery;

import java.time.Duration;

import dev.sluice.consumer.limiter.DeliveryLimiter;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;

/**
 * Down only if the loop is dead or stuck, which a restart repairs. An outage of Kafka or
 * of the backend is a detail: it does not make this process unhealthy.
 */
record DeliveryHealthIndicator(DeliveryLoop loop, DeliveryLimiter limiter,
		PendingRecords pending) implements HealthIndicator {

	/** Longer than any single poll or rebalance lasts. */
	private static final Duration STUCK = Duration.ofMinutes(5);

	@Override
	public Health health() {
		boolean connected = this.loop.isConnected();
		boolean well = !this.loop.isRunning()
				|| (this.loop.isAlive() && (!connected || this.loop.sinceLastPoll().compareTo(STUCK) < 0));
		return (well ? Health.up() : Health.down()).withDetail("state", state(connected))
			.withDetail("partitions", this.loop.assignment().size())
			.withDetail("pending", this.pending.records())
			.withDetail("inFlight", this.limiter.inFlight())
			.withDetail("circuit", this.limiter.isOpen() ? "open" : "closed")
			.build();
	}

	private String state(boolean connected) {
		if (!this.loop.isRunning()) {
			return "stopped";
		}
		if (!this.loop.isAlive()) {
			return "dead";
		}
		return connected ? "consuming" : "waiting for Kafka";
	}

}
