package dev.sluice.consumer.delivery;

import java.time.Duration;

import dev.sluice.consumer.limiter.DeliveryLimiter;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Down only if the source is dead or stuck, which a restart repairs. An outage of Kafka
 * or of the backend is a detail: it does not make this process unhealthy.
 */
final class DeliveryHealthIndicator extends AbstractHealthIndicator {

	/** Longer than any single poll or rebalance lasts. */
	private static final Duration STUCK = Duration.ofMinutes(5);

	private final DeliverySource source;

	private final DeliveryLimiter limiter;

	private final PendingRecords pending;

	DeliveryHealthIndicator(DeliverySource source, DeliveryLimiter limiter, PendingRecords pending) {
		super("The state of the delivery cannot be read");
		this.source = source;
		this.limiter = limiter;
		this.pending = pending;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		boolean connected = this.source.isConnected();
		boolean well = !this.source.isRunning()
				|| (this.source.isAlive() && (!connected || this.source.sinceLastPoll().compareTo(STUCK) < 0));
		builder
			.status(well ? org.springframework.boot.health.contributor.Status.UP
					: org.springframework.boot.health.contributor.Status.DOWN)
			.withDetail("state", state(connected))
			.withDetails(this.source.details())
			.withDetail("pending", this.pending.records())
			.withDetail("inFlight", this.limiter.inFlight())
			.withDetail("circuit", this.limiter.circuit());
	}

	private String state(boolean connected) {
		if (!this.source.isRunning()) {
			return "stopped";
		}
		if (!this.source.isAlive()) {
			return "dead";
		}
		return connected ? "consuming" : "waiting for Kafka";
	}

}
