package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the topics of {@link RecentOrders} into {@link KnownOrders}, as long as they are
 * there, and how far the projection has committed them. Confined to one thread.
 *
 * @param topics the ids of the topics; empty while one is missing
 * @param consumers opens a client, again after each failure
 * @param onProgress called when there is something new to read, or has been read
 */
record RecentReader(KnownOrders orders, Supplier<Map<String, Uuid>> topics,
		Supplier<Consumer<byte[], byte[]>> consumers, JsonMapper json, Runnable onProgress) {

	private static final Logger logger = LoggerFactory.getLogger(RecentReader.class);

	/** Pause between two reads, so that a gateway under load reads larger batches. */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration POLL = Duration.ofMillis(100);

	/**
	 * Reads until it fails, or is to stop, and then forgets everything.
	 * @param goesOn called after each round
	 */
	Duration read(BooleanSupplier goesOn) throws InterruptedException {
		Consumer<byte[], byte[]> client = this.consumers.get();
		try {
			Map<String, Uuid> ids = Map.of();
			long lookNanos = System.nanoTime();
			do {
				long nowNanos = System.nanoTime();
				if (this.orders.parts().isEmpty() || nowNanos - lookNanos >= RecentOrders.LOOK_INTERVAL.toNanos()) {
					lookNanos = nowNanos;
					ids = look(client, ids);
				}
				readOnce(client);
			}
			while (goesOn.getAsBoolean());
		}
		finally {
			this.orders.clear();
			client.close();
		}
		throw new InterruptedException("Stopped");
	}

	private void readOnce(Consumer<byte[], byte[]> client) {
		if (this.orders.parts().isEmpty()) {
			LockSupport.parkNanos(PAUSE.toNanos());
			return;
		}
		ConsumerRecords<byte[], byte[]> records = client.poll(POLL);
		for (ConsumerRecord<byte[], byte[]> record : records) {
			RecentRecord parsed = RecentRecord.of(record, this.json);
			if (parsed != null) {
				this.orders.add(new TopicPartition(record.topic(), record.partition()), parsed);
			}
		}
		this.orders.advance(client);
		if (!records.isEmpty()) {
			this.onProgress.run();
			if (records.count() < RecentOrders.FULL_BATCH) {
				LockSupport.parkNanos(PAUSE.toNanos());
			}
		}
	}

	/**
	 * Begins again if a topic is another one or has more partitions, or all is lost.
	 * @param before the ids of the topics that are read
	 * @return the ids of those that are read now
	 */
	private Map<String, Uuid> look(Consumer<byte[], byte[]> client, Map<String, Uuid> before) {
		try {
			Map<String, Uuid> ids = this.topics.get();
			Set<TopicPartition> partitions = ids.isEmpty() ? Set.of() : partitions(client);
			if (partitions.isEmpty()) {
				this.orders.clear();
				return before;
			}
			Map<TopicPartition, Long> committed = new HashMap<>();
			client.committed(partitions).forEach((partition, offset) -> {
				if (offset != null) {
					committed.put(partition, offset.offset());
				}
			});
			this.orders.commit(committed);
			if (!ids.equals(before) || !partitions.equals(this.orders.parts().keySet())) {
				logger.info("Reading the recent orders of {} partitions from {}", partitions.size(), committed);
				this.orders.assign(partitions, committed, client);
				this.onProgress.run();
			}
			return ids;
		}
		catch (RetriableException _) {
			// What is known stays as it is until Kafka answers.
			return before;
		}
	}

	/** The partitions of the topics; empty while one is missing. */
	private static Set<TopicPartition> partitions(Consumer<byte[], byte[]> client) {
		Set<TopicPartition> partitions = new HashSet<>();
		for (String topic : Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES)) {
			List<PartitionInfo> found = client.partitionsFor(topic);
			if (found.isEmpty()) {
				return Set.of();
			}
			found.forEach((partition) -> partitions.add(new TopicPartition(topic, partition.partition())));
		}
		return partitions;
	}

}
