package dev.sluice.consumer.offsets;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Supplier;

import dev.sluice.consumer.offsets.LostRecords.Gap;
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

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final org.apache.kafka.clients.consumer.Consumer<?, ?> kafka;

	private final Map<String, Uuid> topicIds;

	private final Start first;

	/** What it means if the first records of a partition without a commit are deleted. */
	public enum Start {

		/**
		 * The records are lost: a gateway accepted them and no consumer delivered them.
		 */
		AT_ZERO,

		/**
		 * The records were read: only records that every reader committed are deleted.
		 */
		ANYWHERE

	}

	/**
	 * @param topicIds ids of the topics as they were before the reader subscribed
	 */
	public ReadPositions(org.apache.kafka.clients.consumer.Consumer<?, ?> kafka, Map<String, Uuid> topicIds,
			Start first) {
		this.kafka = kafka;
		this.topicIds = Map.copyOf(topicIds);
		this.first = first;
	}

	/**
	 * Moves the consumer to its start position and commits that position where there is
	 * no valid commit. The start position is the commit. It is the log start if there is
	 * no commit, if the commit belongs to a deleted topic, or if it is beyond the log
	 * end. It is also the log start if the commit is below it: the offsets between are
	 * deleted.
	 * @param gaps called for each range of deleted offsets
	 * @return the commits that are valid
	 * @throws org.apache.kafka.common.KafkaException if Kafka does not answer in time
	 */
	public Map<TopicPartition, OffsetAndMetadata> begin(Collection<TopicPartition> assigned, Consumer<Gap> gaps) {
		if (assigned.isEmpty()) {
			return Map.of();
		}
		Map<TopicPartition, OffsetAndMetadata> commits = ask(() -> this.kafka.committed(Set.copyOf(assigned), TIMEOUT));
		Map<TopicPartition, Long> starts = ask(() -> this.kafka.beginningOffsets(assigned, TIMEOUT));
		Map<TopicPartition, Long> ends = ask(() -> this.kafka.endOffsets(assigned, TIMEOUT));
		Map<TopicPartition, OffsetAndMetadata> valid = new HashMap<>();
		Map<TopicPartition, OffsetAndMetadata> initial = new HashMap<>();
		Map<TopicPartition, Long> positions = new HashMap<>();
		for (TopicPartition partition : assigned) {
			long start = starts.getOrDefault(partition, 0L);
			// Kafka maps a partition without a commit to null.
			OffsetAndMetadata commit = commits.get(partition);
			long from = (this.first == Start.AT_ZERO) ? 0 : start;
			if (commit != null && isValid(partition, commit, ends.getOrDefault(partition, Long.MAX_VALUE))) {
				valid.put(partition, commit);
				from = commit.offset();
			}
			if (from < start) {
				gaps.accept(new Gap(partition, from, start));
			}
			if (from < start || !valid.containsKey(partition)) {
				initial.put(partition, initial(start));
			}
			positions.put(partition, Math.max(from, start));
		}
		// Before the first record, which may end the process: it may need all memory.
		logger.info("Reading from offsets {}", positions);
		positions.forEach(this.kafka::seek);
		if (!initial.isEmpty()) {
			ask(() -> {
				this.kafka.commitSync(initial, TIMEOUT);
				return true;
			});
		}
		return valid;
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

	private OffsetAndMetadata initial(long offset) {
		return new OffsetAndMetadata(offset, CommitMetadata.of(this.topicIds.values(), "").text());
	}

	/**
	 * Moves the consumer to the log start of each partition whose next records are
	 * deleted.
	 * @param gaps called for each range of deleted offsets
	 * @throws OffsetOutOfRangeException if a position is beyond the log end, which is no
	 * gap: a new reader finds a valid one
	 * @throws org.apache.kafka.common.KafkaException if Kafka does not answer in time
	 */
	public void skip(OffsetOutOfRangeException deleted, Consumer<Gap> gaps) {
		Map<TopicPartition, Long> positions = deleted.offsetOutOfRangePartitions();
		Map<TopicPartition, Long> starts = ask(() -> this.kafka.beginningOffsets(positions.keySet(), TIMEOUT));
		positions.forEach((partition, position) -> {
			long start = starts.getOrDefault(partition, 0L);
			if (position >= start) {
				throw deleted;
			}
			gaps.accept(new Gap(partition, position, start));
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
