package dev.sluice.consumer.outcome;

import java.nio.charset.StandardCharsets;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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

	private final Map<OrderStatus, Counter> published = new EnumMap<>(OrderStatus.class);

	public OutcomePublisher(ReliablePublisher publisher, JsonMapper json, MeterRegistry registry) {
		this.publisher = publisher;
		this.json = json.writerFor(OrderOutcome.class);
		for (OrderStatus status : List.of(OrderStatus.RETRYING, OrderStatus.SAVED, OrderStatus.FAILED)) {
			this.published.put(status, ConsumerMetric.DELIVERY_OUTCOMES.counter(registry, "outcome",
					status.name().toLowerCase(Locale.ROOT)));
		}
	}

	/**
	 * @return whether Kafka has acknowledged it; false only if it is no longer wanted
	 */
	public boolean publish(OrderOutcome outcome, BooleanSupplier wanted) throws InterruptedException {
		byte[] key = outcome.key().getBytes(StandardCharsets.US_ASCII);
		byte[] value = this.json.writeValueAsBytes(outcome);
		boolean published = this.publisher.publish(new ProducerRecord<>(Topics.ORDER_OUTCOMES, key, value), wanted);
		if (published && outcome.conflict() == null) {
			Objects.requireNonNull(this.published.get(outcome.status())).increment();
		}
		return published;
	}

}
