package dev.sluice.consumer.outcome;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

import dev.sluice.consumer.Time;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

class OutcomePublisherTests {

	private final MockProducer<byte[], byte[]> kafka = new MockProducer<>(true, null, new ByteArraySerializer(),
			new ByteArraySerializer());

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final JsonMapper json = JsonMapper.builder().build();

	private final OutcomePublisher outcomes = new OutcomePublisher(
			new ReliablePublisher(() -> this.kafka, ReliablePublisher.defaultBackoff(() -> 0), Time.SYSTEM), this.json,
			this.registry);

	@ParameterizedTest
	@EnumSource(mode = Mode.EXCLUDE, names = "ACCEPTED")
	void publishesAndCountsWhatADeliveryComesTo(OrderStatus status) throws InterruptedException {
		OrderOutcome outcome = outcome(status);

		assertThat(this.outcomes.publish(outcome, () -> false)).isTrue();

		assertThat(this.kafka.history()).singleElement().satisfies((record) -> {
			assertThat(record.topic()).isEqualTo(Topics.ORDER_OUTCOMES);
			assertThat(record.key()).asString(StandardCharsets.US_ASCII).isEqualTo(outcome.key());
			assertThat(this.json.readValue(record.value(), OrderOutcome.class)).isEqualTo(outcome);
		});
		for (OrderStatus each : OrderStatus.values()) {
			assertThat(counted(each)).isEqualTo((each == status) ? 1 : 0);
		}
	}

	@Test
	void countsNothingThatKafkaHasNotAcknowledged() throws InterruptedException {
		this.kafka.sendException = new TimeoutException("no acknowledgement");

		assertThat(this.outcomes.publish(outcome(OrderStatus.SAVED), () -> false)).isFalse();

		assertThat(counted(OrderStatus.SAVED)).isZero();
	}

	private static OrderOutcome outcome(OrderStatus status) {
		return new OrderOutcome(new UUID(1, 2), "c-1", status, 2, Instant.ofEpochSecond(9), Instant.ofEpochSecond(3),
				"why", null);
	}

	private double counted(OrderStatus status) {
		return this.registry.find("sluice.delivery.outcomes")
			.tag("outcome", status.name().toLowerCase())
			.counters()
			.stream()
			.mapToDouble((counter) -> counter.count())
			.sum();
	}

}
