package dev.sluice.gateway.core.queue;

import java.util.HashMap;
import java.util.Map;

import dev.sluice.topics.BoundedBytesDeserializer;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Opens the Kafka clients of {@link RecentOrders}, without waiting for a broker. They
 * detect within 2 s that a broker does not answer.
 */
final class RecentClients {

	/** A batch of this many records means that there are more. */
	static final int FULL_BATCH = 2_000;

	private static final int TIMEOUT_MILLIS = 2_000;

	private RecentClients() {
	}

	/** Asks for the ends of the topics. */
	static Admin admin(Map<String, Object> given) {
		return Admin.create(config(given));
	}

	/**
	 * Reads, without a place in a consumer group.
	 * @param group the group whose committed offsets it asks for
	 */
	static Consumer<byte[], byte[]> consumer(Map<String, Object> given, String group) {
		Map<String, Object> config = config(given);
		config.put(ConsumerConfig.GROUP_ID_CONFIG, group);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		config.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
		config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
		// Before anybody writes to it, a new partition is read.
		config.put(ConsumerConfig.METADATA_MAX_AGE_CONFIG, RecentOrders.LOOK_INTERVAL.toMillis());
		// A backlog is read in small portions, because the heap may be small.
		config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, FULL_BATCH);
		config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, 256 * 1024);
		config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 2 * 1024 * 1024);
		return new KafkaConsumer<>(config, new BoundedBytesDeserializer(), new BoundedBytesDeserializer());
	}

	private static Map<String, Object> config(Map<String, Object> given) {
		Map<String, Object> config = new HashMap<>(given);
		config.put(CommonClientConfigs.CLIENT_ID_CONFIG, "recent-orders");
		config.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		config.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		config.put(CommonClientConfigs.RECONNECT_BACKOFF_MAX_MS_CONFIG, 500);
		return config;
	}

}
