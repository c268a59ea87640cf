package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

import dev.sluice.consumer.offsets.LostRecords.Reader;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.WakeupException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides where a reader starts to read its assigned partitions, and detects records that
 * were deleted before it read them. Only the consumer's thread calls it. Each request to
 * Kafka has a deadline.
 */
public final class ReadPositions {

	private static final Logger logger = LoggerFactory.getLogger(ReadPositions.class);

	/** Timeout of each request, and so of a commit. */
	public static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final Consumer<?, ?> kafka;

	private final Map<String, Uuid> topicIds;

	private final Reader reader;

	private final LostRecords lost;

	/**
	 * @param topicIds ids of the topics as they were before the reader subscribed
	 */
	public ReadPositions(Consumer<?, ?> kafka, Map<String, Uuid> topicIds, Reader reader, LostRecords lost) {
		this.kafka = kafka;
		this.topicIds = Map.copyOf(topicIds);
		this.reader = reader;
		this.lost = lost;
	}

	/**
	 * Moves the consumer to its start position and commits that position where there is
	 * no valid commit. The start position is the commit. It is the log start if there is
	 * no commit, if the commit belongs to a deleted topic, or if it is beyond the log
	 * end. It is also the log start if the commit is below it: the records between are
	 * lost, unless they are finished.
	 * @return the finished offsets above each valid commit
	 * @throws org.apache.kafka.common.KafkaException if Kafka does not answer in time
	 */
	public Map<TopicPartition, FinishedOffsets> begin(Collection<TopicPartition> assigned) {
		if (assigned.isEmpty()) {
			return Map.of();
		}
		Map<TopicPartition, OffsetAndMetadata> commits = ask(() -> this.kafka.committed(Set.copyOf(assigned), TIMEOUT));
		Map<TopicPartition, Long> starts = ask(() -> this.kafka.beginningOffsets(assigned, TIMEOUT));
		Map<TopicPartition, Long> ends = ask(() -> this.kafka.endOffsets(assigned, TIMEOUT));
		Map<TopicPartition, FinishedOffsets> finished = new HashMap<>();
		Map<TopicPartition, Long> wanted = new HashMap<>();
		Map<TopicPartition, Long> positions = new HashMap<>();
		Map<TopicPartition, OffsetAndMetadata> initial = new HashMap<>();
		for (TopicPartition partition : assigned) {
			long start = starts.getOrDefault(partition, 0L);
			// Kafka maps a partition without a commit to null.
			OffsetAndMetadata commit = commits.get(partition);
			// Without a commit nothing says that the delivery has read what is deleted.
			// The projection has: only records that every reader committed are deleted.
			long from = (this.reader == Reader.DELIVERY) ? 0 : start;
			if (commit != null && isValid(partition, commit, ends.getOrDefault(partition, Long.MAX_VALUE))) {
				from = commit.offset();
				finished.put(partition, FinishedOffsets.parse(from, CommitMetadata.parse(commit.metadata()).rest()));
			}
			if (from < start || !finished.containsKey(partition)) {
				initial.put(partition, new OffsetAndMetadata(start));
			}
			wanted.put(partition, from);
			positions.put(partition, Math.max(from, start));
		}
		// Before the first record, which may end the process: it may need all memory.
		logger.info("Reading from offsets {}", positions);
		positions.forEach(this.kafka::seek);
		if (!initial.isEmpty()) {
			commit(initial);
		}
		positions.forEach((partition, position) -> lost(partition, wanted.getOrDefault(partition, position), position,
				finished.getOrDefault(partition, FinishedOffsets.NONE)));
		return finished;
	}

	private boolean isValid(TopicPartition partition, OffsetAndMetadata commit, long end) {
		if (!CommitMetadata.parse(commit.metadata()).isOf(this.topicIds.get(partition.topic()))) {
			logger.warn("The commit of {} belongs to a deleted topic. Reading the new topic from its beginning",
					partition);
			return false;
		}
		if (commit.offset() > end) {
			logger.warn("The commit of {} is {}, beyond the end at {}. Reading from the beginning", partition,
					commit.offset(), end);
			return false;
		}
		return true;
	}

	/**
	 * Commits offsets and waits for the answer.
	 * @throws org.apache.kafka.common.KafkaException if Kafka does not answer in time
	 */
	public void commit(Map<TopicPartition, OffsetAndMetadata> offsets) {
		ask(() -> {
			this.kafka.commitSync(named(offsets), TIMEOUT);
			return true;
		});
	}

	/**
	 * Offsets as they are committed: they name the topics, because a topic may be deleted
	 * and created again.
	 */
	public Map<TopicPartition, OffsetAndMetadata> named(Map<TopicPartition, OffsetAndMetadata> offsets) {
		Map<TopicPartition, OffsetAndMetadata> named = new HashMap<>(offsets);
		named.replaceAll((_, offset) -> new OffsetAndMetadata(offset.offset(),
				CommitMetadata.of(this.topicIds.values(), offset.metadata()).text()));
		return named;
	}

	private void lost(TopicPartition partition, long from, long to, FinishedOffsets finished) {
		long records = to - from - finished.countBelow(to);
		if (records > 0) {
			this.lost.lost(this.reader, partition, from, to, records);
		}
	}

	/**
	 * Moves the consumer to the log start of each partition whose next records are
	 * deleted, and so lost.
	 * @throws OffsetOutOfRangeException if a position is beyond the log end, which is no
	 * gap: a new reader finds a valid one
	 * @throws org.apache.kafka.common.KafkaException if Kafka does not answer in time
	 */
	public void skip(OffsetOutOfRangeException deleted) {
		Map<TopicPartition, Long> positions = deleted.offsetOutOfRangePartitions();
		Map<TopicPartition, Long> starts = ask(() -> this.kafka.beginningOffsets(positions.keySet(), TIMEOUT));
		positions.forEach((partition, position) -> {
			long start = starts.getOrDefault(partition, 0L);
			if (position >= start) {
				throw deleted;
			}
			if (this.reader == Reader.PROJECTION) {
				// Nothing may come after the gap for long, and gateways look at commits.
				commit(Map.of(partition, new OffsetAndMetadata(start)));
			}
			lost(partition, position, start, FinishedOffsets.NONE);
			this.kafka.seek(partition, start);
		});
	}

	/** A wake-up is for the poll, and the loop checks its reason anyway. */
	private static <T> T ask(Supplier<T> request) {
		try {
			return request.get();
		}
		catch (WakeupException ex) {
			return request.get();
		}
	}

}
