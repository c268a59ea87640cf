package dev.sluice.sink.reader;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import dev.sluice.sink.format.TopicRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the committed messages of the topic {@code sink}: either all of them, from the
 * beginning, or as a member of a consumer group, which continues after the last one that
 * it has {@linkplain #commit committed}.
 */
public final class TopicReader implements SinkReader {

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final Consumer<byte[], byte[]> consumer;

	/** Records polled and not returned yet. */
	private final Queue<ConsumerRecord<byte[], byte[]>> polled = new ArrayDeque<>();

	/** Offsets to commit: after the records returned since the last commit. */
	private final Map<TopicPartition, OffsetAndMetadata> returned = new HashMap<>();

	private TopicReader(Consumer<byte[], byte[]> consumer) {
		this.consumer = consumer;
	}

	/**
	 * Reads all partitions from their beginning, without a group.
	 * @param kafka the consumer's configuration, at least {@code bootstrap.servers}
	 * @throws ReadFailedException if the brokers do not know the topic
	 */
	public static TopicReader all(Map<String, Object> kafka) {
		return all(consumer(kafka, Map.of()));
	}

	static TopicReader all(Consumer<byte[], byte[]> consumer) {
		try {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.SINK, TIMEOUT)
				.stream()
				.map((partition) -> new TopicPartition(Topics.SINK, partition.partition()))
				.toList();
			consumer.assign(partitions);
			consumer.seekToBeginning(partitions);
			return new TopicReader(consumer);
		}
		catch (KafkaException ex) {
			consumer.close();
			throw failed(ex);
		}
	}

	/**
	 * Reads what a group has not committed; from the beginning of a partition without a
	 * commit.
	 * @param kafka the consumer's configuration, at least {@code bootstrap.servers}
	 * @param group name of the group
	 */
	public static TopicReader group(Map<String, Object> kafka, String group) {
		return group(consumer(kafka,
				Map.of(ConsumerConfig.GROUP_ID_CONFIG, group, ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest")));
	}

	static TopicReader group(Consumer<byte[], byte[]> consumer) {
		TopicReader reader = new TopicReader(consumer);
		consumer.subscribe(Set.of(Topics.SINK), reader.new Rebalance());
		return reader;
	}

	private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> kafka, Map<String, Object> more) {
		Map<String, Object> config = new HashMap<>(kafka);
		config.putAll(more);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
		return new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
	}

	@Override
	public @Nullable StoredMessage next(Duration wait) {
		if (this.polled.isEmpty()) {
			try {
				this.consumer.poll(wait).forEach(this.polled::add);
			}
			catch (KafkaException ex) {
				throw failed(ex);
			}
		}
		ConsumerRecord<byte[], byte[]> record = this.polled.poll();
		if (record == null) {
			return null;
		}
		this.returned.put(new TopicPartition(record.topic(), record.partition()),
				new OffsetAndMetadata(record.offset() + 1));
		TopicRecord stored = TopicRecord.read(record.headers());
		return new StoredMessage(record.partition(), record.offset(), Instant.ofEpochMilli(record.timestamp()),
				bytes(record.key()), stored.key(), stored.session(), stored.sequence(),
				(record.value() != null) ? record.value() : new byte[0]);
	}

	private static ByteString bytes(byte @Nullable [] key) {
		return (key != null) ? ByteString.copyFrom(key) : ByteString.EMPTY;
	}

	/**
	 * Commits all messages returned so far: the group does not get them again.
	 * @throws ReadFailedException if the commit fails
	 */
	public void commit() {
		try {
			if (!this.returned.isEmpty()) {
				this.consumer.commitSync(Map.copyOf(this.returned), TIMEOUT);
				this.returned.clear();
			}
		}
		catch (KafkaException ex) {
			throw failed(ex);
		}
	}

	/** In offsets of the partitions assigned to this reader. */
	@Override
	public long lag() {
		try {
			Set<TopicPartition> assigned = this.consumer.assignment();
			long lag = this.polled.size();
			for (Map.Entry<TopicPartition, Long> end : this.consumer.endOffsets(assigned, TIMEOUT).entrySet()) {
				lag += Math.max(0, end.getValue() - this.consumer.position(end.getKey(), TIMEOUT));
			}
			return lag;
		}
		catch (KafkaException ex) {
			throw failed(ex);
		}
	}

	private static ReadFailedException failed(KafkaException cause) {
		return new ReadFailedException("The topic %s cannot be read: %s".formatted(Topics.SINK, cause), cause);
	}

	@Override
	public void close() {
		this.consumer.close();
	}

	/** Forgets the records of partitions that another member gets. */
	private final class Rebalance implements ConsumerRebalanceListener {

		@Override
		public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
			// Messages returned and not committed go to the next member again.
			forget(partitions);
		}

		@Override
		public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
		}

		private void forget(Collection<TopicPartition> partitions) {
			TopicReader.this.polled
				.removeIf((record) -> partitions.contains(new TopicPartition(record.topic(), record.partition())));
			TopicReader.this.returned.keySet().removeAll(partitions);
		}

	}

}
