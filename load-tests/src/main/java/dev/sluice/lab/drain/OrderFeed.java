package dev.sluice.lab.drain;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.plan.SampleOrder;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.topics.OrderTopicSpecs;
import dev.sluice.topics.TopicSpec;
import dev.sluice.topics.TopicWatch;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Writes orders to Kafka as a gateway would. The producer's buffer bounds the records in
 * flight. Thread-safe.
 */
final class OrderFeed implements AutoCloseable {

	private static final int PARTITIONS = 12;

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final JsonMapper JSON = JsonMapper.shared();

	private final AtomicReference<@Nullable Exception> failure = new AtomicReference<>();

	private final KafkaProducer<byte[], byte[]> producer;

	/**
	 * Connects, and creates the topic if it is missing.
	 * @throws LabException if Kafka does not answer
	 */
	OrderFeed(String bootstrapServers) throws InterruptedException {
		makeTopic(bootstrapServers);
		this.producer = new KafkaProducer<>(
				Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers, ProducerConfig.ACKS_CONFIG, "all",
						ProducerConfig.LINGER_MS_CONFIG, 5, ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4"),
				new ByteArraySerializer(), new ByteArraySerializer());
	}

	private static void makeTopic(String bootstrapServers) throws InterruptedException {
		List<TopicSpec> orders = OrderTopicSpecs.of(PARTITIONS, (short) 1, 0)
			.stream()
			.filter((topic) -> topic.name().equals(Topics.ORDERS))
			.toList();
		try (TopicWatch topics = new TopicWatch(orders,
				Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers), () -> {
				}, Admin::create)) {
			topics.start();
			if (!topics.await(Patience.of(TIMEOUT))) {
				throw new LabException("Kafka does not accept the orders: " + topics.state().problem());
			}
		}
	}

	/** Sends an order of a customer; {@link #flush} fails if it was refused. */
	void send(UUID id, String customer) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(Topics.ORDERS, utf8(customer),
				JSON.writeValueAsBytes(SampleOrder.of(customer)));
		record.headers()
			.add(OrderHeaders.ID, utf8(id.toString()))
			.add(OrderHeaders.SOURCE, utf8("/lab"))
			.add(OrderHeaders.SPEC_VERSION, utf8(OrderHeaders.SPEC_VERSION_VALUE))
			.add(OrderHeaders.TYPE, utf8(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, utf8(Instant.now().toString()))
			.add(OrderHeaders.CONTENT_TYPE, utf8("application/json"));
		this.producer.send(record, (_, ex) -> {
			if (ex != null) {
				this.failure.compareAndSet(null, ex);
			}
		});
	}

	/**
	 * Waits until all records are acknowledged.
	 * @throws LabException if one was refused
	 */
	void flush() {
		this.producer.flush();
		Exception ex = this.failure.get();
		if (ex != null) {
			throw new LabException("Kafka does not accept the orders: " + ex.getMessage(), ex);
		}
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	@Override
	public void close() {
		this.producer.close(TIMEOUT);
	}

}
