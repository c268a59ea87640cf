package dev.sluice.consumer.outcome;

import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

import dev.sluice.consumer.ConsumerMetric;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.producer.ProducerRecord;
import tools.jackson.databind.ObjectWriter;
import tools.jackson.databind.json.JsonMapper;

/** Publishes the outcomes of orders to {@code order-outcomes}. */
public final class OutcomePublisher {

	private final ReliablePublisher publisher;

	private final ObjectWriter json;

	private final Counter retrying;

	private final Counter saved;

	private final Counter failed;

	public OutcomePublisher(ReliablePublisher publisher, JsonMapper json, MeterRegistry registry) {
		this.publisher = publisher;
		this.json = json.writerFor(OrderOutcome.class);
		this.retrying = ConsumerMetric.DELIVERY_OUTCOMES.counter(registry, "outcome", "retrying");
		this.saved = ConsumerMetric.DELIVERY_OUTCOMES.counter(registry, "outcome", "saved");
		this.failed = ConsumerMetric.DELIVERY_OUTCOMES.counter(registry, "outcome", "failed");
	}

	/**
	 * @return whether Kafka has acknowledged it; false only if it is no longer wanted
	 */
	public boolean publish(OrderOutcome outcome, BooleanSupplier wanted) throws InterruptedException {
		byte[] key = outcome.key().getBytes(StandardCharsets.US_ASCII);
		byte[] value = this.json.writeValueAsBytes(outcome);
		boolean published = this.publisher.publish(new ProducerRecord<>(Topics.ORDER_OUTCOMES, key, value), wanted);
		if (published) {
			counter(outcome.status()).increment();
		}
		return published;
	}

	private Counter counter(OrderStatus status) {
		return switch (status) {
			case ACCEPTED -> throw new IllegalArgumentException("a delivery does not end as accepted");
			case RETRYING -> this.retrying;
			case SAVED -> this.saved;
			case FAILED -> this.failed;
		};
	}

}
