package dev.sluice.lab.drain;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;

import dev.sluice.contract.OrderHeaders;
import dev.sluice.contract.Topics;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.stack.LabException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** Writes orders to a new Kafka as a gateway would. */
final class OrderFeed {

	private static final int PARTITIONS = 12;

	private OrderFeed() {
	}

	/**
	 * Creates the topic, and writes so many orders into it.
	 * @throws LabException if Kafka does not answer, or refuses one
	 */
	static void write(String bootstrapServers, int orders) throws InterruptedException {
		AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
		try (Admin admin = Admin.create(Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers))) {
			admin.createTopics(List.of(new NewTopic(Topics.ORDERS, PARTITIONS, (short) 1))).all().get();
		}
		catch (ExecutionException ex) {
			failure.set(ex);
		}
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers, ProducerConfig.ACKS_CONFIG, "all",
						ProducerConfig.LINGER_MS_CONFIG, 5, ProducerConfig.COMPRESSION_TYPE_CONFIG, "lz4"),
				new ByteArraySerializer(), new ByteArraySerializer())) {
			for (int i = 0; i < orders && failure.get() == null; i++) {
				producer.send(record(i), (_, ex) -> failure.compareAndSet(null, ex));
			}
			producer.flush();
		}
		Exception ex = failure.get();
		if (ex != null) {
			throw new LabException("Kafka does not accept the orders: " + ex.getMessage(), ex);
		}
	}

	private static ProducerRecord<byte[], byte[]> record(int order) {
		ProducerRecord<byte[], byte[]> record = new ProducerRecord<>(Topics.ORDERS, utf8(OrderIdentity.customer(order)),
				utf8(OrderIdentity.body(order, 1)));
		record.headers()
			.add(OrderHeaders.ID, utf8(UUID.randomUUID().toString()))
			.add(OrderHeaders.SOURCE, utf8("/lab"))
			.add(OrderHeaders.SPEC_VERSION, utf8(OrderHeaders.SPEC_VERSION_VALUE))
			.add(OrderHeaders.TYPE, utf8(OrderHeaders.TYPE_VALUE))
			.add(OrderHeaders.TIME, utf8(Instant.now().toString()))
			.add(OrderHeaders.CONTENT_TYPE, utf8("application/json"));
		return record;
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
