package dev.sluice.sink.reader;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.TopicRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the committed messages of the topic {@code sink}, all partitions from their
 * beginning, without a consumer group. Messages of a partition come in their order. Not
 * thread-safe.
 */
public final class TopicReader implements AutoCloseable {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final Consumer<byte[], byte[]> consumer;

	/** Records polled and not returned yet. */
	private final Queue<ConsumerRecord<byte[], byte[]>> polled = new ArrayDeque<>();

	/** Reads with this consumer, which it closes. */
	TopicReader(Consumer<byte[], byte[]> consumer) {
		this.consumer = consumer;
		try {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.SINK, TIMEOUT)
				.stream()
				.map((partition) -> new TopicPartition(Topics.SINK, partition.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
		}
		catch (RuntimeException ex) {
			consumer.close();
			throw ex;
		}
	}

	/**
	 * Opens a reader.
	 * @param kafka the consumer's configuration, at least {@code bootstrap.servers}
	 * @throws org.apache.kafka.common.KafkaException if the brokers do not know the topic
	 */
	public static TopicReader open(Map<String, Object> kafka) {
		Map<String, Object> config = new HashMap<>(kafka);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
		return new TopicReader(new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
	}

	/**
	 * The next message.
	 * @param wait maximum time to wait for a message
	 * @return null if there was none in that time
	 * @throws org.apache.kafka.common.KafkaException if the topic cannot be read
	 */
	public @Nullable StoredMessage next(Duration wait) {
		if (this.polled.isEmpty()) {
			this.consumer.poll(wait).forEach(this.polled::add);
		}
		ConsumerRecord<byte[], byte[]> record = this.polled.poll();
		return (record != null) ? message(record) : null;
	}

	private static StoredMessage message(ConsumerRecord<byte[], byte[]> record) {
		TopicRecord stored = TopicRecord.read(record.headers());
		return new StoredMessage(record.partition(), record.offset(), Instant.ofEpochMilli(record.timestamp()),
				(record.key() != null) ? ByteString.copyFrom(record.key()) : ByteString.EMPTY, stored.key(),
				stored.session(), stored.sequence(), (record.value() != null) ? record.value() : new byte[0]);
	}

	/**
	 * How much is stored and not yet returned, in offsets (messages and transaction
	 * markers). 0 = everything is read.
	 * @throws org.apache.kafka.common.KafkaException if the brokers do not answer
	 */
	public long lag() {
		long lag = this.polled.size();
		for (Map.Entry<TopicPartition, Long> end : this.consumer.endOffsets(this.consumer.assignment(), TIMEOUT)
			.entrySet()) {
			lag += Math.max(0, end.getValue() - this.consumer.position(end.getKey(), TIMEOUT));
		}
		return lag;
	}

	@Override
	public void close() {
		this.consumer.close();
	}

}
