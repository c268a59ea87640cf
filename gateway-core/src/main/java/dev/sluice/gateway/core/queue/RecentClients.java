package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * The two Kafka clients of {@link RecentOrders}: one asks about topics and offsets, the
 * other reads. Both detect within 2 s that a broker does not answer.
 *
 * @param admin asks about topics and offsets
 * @param consumer reads, without a consumer group
 */
record RecentClients(Admin admin, Consumer<byte[], byte[]> consumer) implements AutoCloseable {

	/** A batch of this many records means that there are more. */
	static final int FULL_BATCH = 2_000;

	private static final String CLIENT_ID = "recent-orders";

	private static final int TIMEOUT_MILLIS = 2_000;

	private static final int MAX_BACKOFF_MILLIS = 500;

	/**
	 * Opens both without waiting for a broker.
	 * @param admins configuration of an admin client
	 * @param consumers configuration of a consumer
	 */
	static RecentClients open(Map<String, Object> admins, Map<String, Object> consumers) {
		Consumer<byte[], byte[]> consumer = new KafkaConsumer<>(consumerConfig(consumers), new ByteArrayDeserializer(),
				new ByteArrayDeserializer());
		try {
			return new RecentClients(Admin.create(adminConfig(admins)), consumer);
		}
		catch (RuntimeException ex) {
			consumer.close();
			throw ex;
		}
	}

	private static Map<String, Object> adminConfig(Map<String, Object> given) {
		Map<String, Object> config = new HashMap<>(given);
		config.put(AdminClientConfig.CLIENT_ID_CONFIG, CLIENT_ID);
		config.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		config.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		config.put(AdminClientConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, MAX_BACKOFF_MILLIS);
		return config;
	}

	private static Map<String, Object> consumerConfig(Map<String, Object> given) {
		Map<String, Object> config = new HashMap<>(given);
		config.remove(ConsumerConfig.GROUP_ID_CONFIG);
		config.put(ConsumerConfig.CLIENT_ID_CONFIG, CLIENT_ID);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
		config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
		config.put(ConsumerConfig.RECONNECT_BACKOFF_MAX_MS_CONFIG, MAX_BACKOFF_MILLIS);
		config.put(ConsumerConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		// A backlog is read in small portions, because the heap may be small.
		config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, FULL_BATCH);
		config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 * 1024);
		config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 2 * 1024 * 1024);
		return config;
	}

	/**
	 * Closes at once: while Kafka is down, an open question would delay the shutdown by 2
	 * s.
	 */
	@Override
	public void close() {
		try {
			this.admin.close(Duration.ZERO);
		}
		finally {
			this.consumer.close();
		}
	}

}
