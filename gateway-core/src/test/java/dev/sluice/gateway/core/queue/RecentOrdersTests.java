package dev.sluice.gateway.core.queue;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.queue.RecentOrders.Reading;
import dev.sluice.gateway.core.queue.RecentOrders.SyncSave;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.DefaultKafkaConsumerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/** What the recent orders say before anything has been read. */
class RecentOrdersTests {

	private static final Instant TIME = Instant.parse("2026-11-23T10:00:00.123456Z");

	private static final Fingerprint FINGERPRINT = Fingerprint.ofJson("{}".getBytes(StandardCharsets.UTF_8));

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final UUID id = UUID.randomUUID();

	private final RecentOrders orders = new RecentOrders(
			new StatusProperties(Duration.ofSeconds(1), 1_000, "projection", Duration.ofSeconds(1)),
			new DefaultKafkaConsumerFactory<>(Map.of()), new KafkaAdmin(Map.of()), JsonMapper.shared(), this.meters);

	@Test
	void doesNotSayThatItKnowsAll() {
		assertThat(this.orders.caughtUp(Duration.ZERO).join()).isEqualTo(Reading.BEHIND);
		assertThat(this.orders.isRunning()).isFalse();
	}

	@Test
	void knowsASynchronousSaveWhileItsOutcomeIsPublished() {
		this.orders.publishing(this.id, FINGERPRINT, TIME);

		SyncSave save = this.orders.syncSave(this.id);
		assertThat(save).isNotNull();
		assertThat(save.fingerprint()).isEqualTo(FINGERPRINT);
		assertThat(save.savedAt()).isEqualTo(TIME);
		assertThat(size()).isEqualTo(1);

		this.orders.notPublished(this.id);
		assertThat(this.orders.syncSave(this.id)).isNull();
		assertThat(size()).isZero();
	}

	/** It would never learn that the projection has committed it. */
	@Test
	void keepsNothingOfAPartitionThatItDoesNotRead() {
		this.orders.accepted(this.id, FINGERPRINT, TIME, 0, 7);
		this.orders.publishing(this.id, FINGERPRINT, TIME);
		this.orders.published(this.id, 0, 7);

		assertThat(this.orders.acceptance(this.id)).isNull();
		assertThat(this.orders.syncSave(this.id)).isNull();
		assertThat(size()).isZero();
	}

	@Test
	void stopsWithoutHavingStarted() {
		this.orders.stop();

		assertThat(this.orders.isRunning()).isFalse();
		assertThat(this.orders.getPhase()).as("started before the web server").isZero();
	}

	private double size() {
		return this.meters.get("sluice.recent.orders").gauge().value();
	}

}
