package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.Set;

import dev.sluice.consumer.limiter.DeliveryLimiter;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class DeliveryHealthIndicatorTests {

	private final DeliveryLoop loop = mock(DeliveryLoop.class);

	private final DeliveryLimiter limiter = mock(DeliveryLimiter.class);

	private final PendingRecords pending = new PendingRecords(10, 1_000);

	private final DeliveryHealthIndicator indicator = new DeliveryHealthIndicator(this.loop, this.limiter,
			this.pending);

	@BeforeEach
	void consuming() {
		when(this.loop.isRunning()).thenReturn(true);
		when(this.loop.isAlive()).thenReturn(true);
		when(this.loop.isConnected()).thenReturn(true);
		when(this.loop.sinceLastPoll()).thenReturn(Duration.ofMinutes(5).minusNanos(1));
		when(this.limiter.isOpen()).thenReturn(true);
	}

	@Test
	void isUpWhileTheLoopPolls() {
		this.pending.add(100);
		when(this.loop.assignment())
			.thenReturn(Set.of(new TopicPartition("orders", 1), new TopicPartition("orders", 2)));
		when(this.limiter.inFlight()).thenReturn(2);

		Health health = this.indicator.health();

		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("state", "consuming")
			.containsEntry("partitions", 2)
			.containsEntry("pending", 1)
			.containsEntry("inFlight", 2)
			.containsEntry("circuit", "open");
	}

	@ParameterizedTest
	@CsvSource({ "true, true, true, PT5M, DOWN, consuming", "true, true, false, PT1H, UP, waiting for Kafka",
			"true, false, true, PT0S, DOWN, dead", "false, false, true, PT0S, UP, stopped" })
	void isDownWhenTheLoopIsStuckOrDead(boolean running, boolean alive, boolean connected, Duration sinceLastPoll,
			String status, String state) {
		when(this.loop.isRunning()).thenReturn(running);
		when(this.loop.isAlive()).thenReturn(alive);
		when(this.loop.isConnected()).thenReturn(connected);
		when(this.loop.sinceLastPoll()).thenReturn(sinceLastPoll);

		assertThat(this.indicator.health().getStatus().getCode()).isEqualTo(status);
		assertThat(this.indicator.health().getDetails()).containsEntry("state", state);
	}

}
