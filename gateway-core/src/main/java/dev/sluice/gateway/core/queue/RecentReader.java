package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads the topics of {@link RecentOrders} into {@link KnownOrders}. Confined to one
 * thread, except {@link #found}.
 */
final class RecentReader {

	private static final Logger logger = LoggerFactory.getLogger(RecentReader.class);

	/** Pause between two reads, so that a gateway under load reads larger batches. */
	private static final Duration PAUSE = Duration.ofMillis(20);

	private static final Duration POLL = Duration.ofMillis(100);

	private final KnownOrders orders;

	private final Supplier<Consumer<byte[], byte[]>> consumers;

	private final JsonMapper json;

	private final Runnable onProgress;

	private volatile @Nullable TopicsLook found;

	private @Nullable TopicsLook applied;

	private @Nullable Consumer<byte[], byte[]> consumer;

	/**
	 * @param consumers opens a client, again after each failure
	 * @param onProgress called when there is something new to read, or has been read
	 */
	RecentReader(KnownOrders orders, Supplier<Consumer<byte[], byte[]>> consumers, JsonMapper json,
			Runnable onProgress) {
		this.orders = orders;
		this.consumers = consumers;
		this.json = json;
		this.onProgress = onProgress;
	}

	/** The topics and committed offsets as they are now. Any thread may call it. */
	void found(TopicsLook look) {
		this.found = look;
	}

	/**
	 * Reads the next records. Forgets everything after a failure.
	 * @param goesOn false to close the client and to end the thread
	 * @param awaited whether somebody waits for more
	 */
	Duration read(boolean goesOn, boolean awaited) throws InterruptedException {
		try {
			if (!goesOn) {
				throw new InterruptedException("Stopped");
			}
			Consumer<byte[], byte[]> client = this.consumer;
			if (client == null) {
				client = this.consumers.get();
				this.consumer = client;
			}
			apply(this.found, client);
			if (this.orders.parts().isEmpty()) {
				LockSupport.parkNanos(PAUSE.toNanos());
				return Duration.ZERO;
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
				if (!awaited && records.count() < RecentClients.FULL_BATCH) {
					LockSupport.parkNanos(PAUSE.toNanos());
				}
			}
			return Duration.ZERO;
		}
		catch (InterruptedException | RuntimeException | Error ex) {
			Consumer<byte[], byte[]> failed = this.consumer;
			this.consumer = null;
			this.applied = null;
			this.orders.clear();
			if (failed != null) {
				failed.close();
			}
			throw ex;
		}
	}

	private void apply(@Nullable TopicsLook latest, Consumer<byte[], byte[]> client) {
		TopicsLook before = this.applied;
		if (latest == null || latest == before) {
			return;
		}
		if (before != null && latest.continues(before)) {
			this.orders.commit(latest.committed(), client);
		}
		else {
			logger.info("Reading the recent orders of {} partitions from {}", latest.topicIds().size(),
					latest.committed());
			this.orders.assign(latest.topicIds().keySet(), latest.committed(), client);
			this.onProgress.run();
		}
		this.applied = latest;
	}

}
