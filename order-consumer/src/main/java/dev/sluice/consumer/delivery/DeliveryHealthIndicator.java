package dev.sluice.consumer.delivery;

import java.time.Duration;

import dev.sluice.consumer.limiter.Gate;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Down only if the loop is dead or stuck, which a restart mends. That Kafka or the
 * backend is away is told, but is no illness of this process.
 */
final class DeliveryHealthIndicator extends AbstractHealthIndicator {

	/** Longer than anything that a turn waits for. */
	private static final Duration STUCK = Duration.ofMinutes(5);

	private final DeliveryLoop loop;

	private final Gate gate;

	private final Pending pending;

	DeliveryHealthIndicator(DeliveryLoop loop, Gate gate, Pending pending) {
		super("The state of the delivery loop cannot be told");
		this.loop = loop;
		this.gate = gate;
		this.pending = pending;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		boolean connected = this.loop.isConnected();
		boolean well = !this.loop.isRunning()
				|| (this.loop.isAlive() && (!connected || this.loop.sinceLastTurn().compareTo(STUCK) < 0));
		builder
			.status(well ? org.springframework.boot.health.contributor.Status.UP
					: org.springframework.boot.health.contributor.Status.DOWN)
			.withDetail("state", state(connected))
			.withDetail("partitions", this.loop.partitions())
			.withDetail("pending", this.pending.records())
			.withDetail("inFlight", this.gate.inside())
			.withDetail("circuit", this.gate.circuit());
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
