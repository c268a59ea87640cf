package dev.sluice.gateway.core.queue;

import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.status.RecentOrder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.kafka.core.DefaultKafkaProducerFactory;
import org.springframework.kafka.core.KafkaTemplate;

/** What {@link RecentOrders} does, without its threads: a test takes each step. */
public final class GatewayMemory {

	private static final TopicPartition ORDERS = new TopicPartition(Topics.ORDERS, 0);

	private static final TopicPartition OUTCOMES = new TopicPartition(Topics.ORDER_OUTCOMES, 0);

	private static final JsonMapper JSON = JsonMapper.shared();

	private final KnownOrders orders = new KnownOrders(100);

	private final Map<Object, Object> positions = new HashMap<>();

	/** Only has positions: {@code MockConsumer} takes most of the time. */
	@SuppressWarnings("unchecked")
	private final Consumer<byte[], byte[]> consumer = (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
			getClass().getClassLoader(), new Class<?>[] { Consumer.class },
			(_, method, arguments) -> switch (method.getName()) {
				case "assign" -> null;
				case "seek" -> {
					this.positions.put(arguments[0], arguments[1]);
					yield null;
				}
				case "position" -> this.positions.get(arguments[0]);
				// The backlog always fits.
				case "beginningOffsets", "endOffsets" -> Map.of();
				default -> throw new AssertionError(method);
			});

	/** Begins to read where the projection is. */
	public void assign(long ordersCommitted, long outcomesCommitted) {
		this.orders.assign(Set.of(ORDERS, OUTCOMES), Map.of(ORDERS, ordersCommitted, OUTCOMES, outcomesCommitted),
				this.consumer);
	}

	/** Reads a record. */
	public void read(ConsumerRecord<byte[], byte[]> record) {
		TopicPartition partition = new TopicPartition(record.topic(), record.partition());
		RecentRecord parsed = RecentRecord.of(record, JSON);
		if (parsed != null) {
			this.orders.add(partition, parsed);
		}
		this.consumer.seek(partition, record.offset() + 1);
		this.orders.advance(this.consumer);
	}

	/** The next offset to read. */
	public long position(String topic) {
		return this.orders.parts().get(new TopicPartition(topic, 0)).position();
	}

	public Reading atEnd() {
		return this.orders.atEnd(this.orders.parts());
	}

	public Reading withoutKafka() {
		return this.orders.withoutKafka();
	}

	/** Learns how far the projection is. */
	public void commit(long ordersCommitted, long outcomesCommitted) {
		this.orders.commit(Map.of(ORDERS, ordersCommitted, OUTCOMES, outcomesCommitted));
	}

	public RecentOrder order(UUID id, Reading reading) {
		return new RecentOrder(id, reading, this.orders.acceptance(id), this.orders.syncSave(id), null);
	}

	public void acknowledged(ConsumerRecord<byte[], byte[]> record) {
		this.orders.accepted(RecentRecord.of(record, JSON), 0);
	}

	public void publishing(OrderOutcome outcome) {
		if (outcome.conflict() == null) {
			String hex = outcome.fingerprint();
			this.orders.publishing(outcome.orderId(), (hex != null) ? new Fingerprint(hex) : null, outcome.at());
		}
	}

	/**
	 * @param offset of the outcome; null if it was lost
	 */
	public void published(OrderOutcome outcome, @Nullable Long offset) {
		if (outcome.conflict() == null) {
			this.orders.published(outcome.orderId(),
					(offset != null) ? new RecordMetadata(OUTCOMES, offset, 0, 0, 0, 0) : null);
		}
	}

	/** A publisher that only decides what to publish. */
	public abstract static class Outcomes extends OutcomePublisher {

		protected Outcomes() {
			super(new QueueProperties(null, 1, 1, (short) 1, 0),
					new KafkaTemplate<>(new DefaultKafkaProducerFactory<>(Map.of())), null, null, JSON,
					new SimpleMeterRegistry());
		}

		@Override
		public abstract void publish(OrderOutcome outcome);

	}

}
