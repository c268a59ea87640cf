package dev.sluice.consumer.projection;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

import dev.sluice.consumer.offsets.LostRecords.Gap;
import dev.sluice.consumer.offsets.ReadPositions;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * Detects orders that were deleted before the projection had read them. Kafka's client
 * skips them silently. Confined to the container's thread.
 */
final class GapDetector {

	/** The next offset of each assigned partition of {@code orders}. */
	private final Map<TopicPartition, Long> next = new HashMap<>();

	/**
	 * @param position the next offset that the consumer reads
	 */
	void assigned(TopicPartition partition, long position) {
		if (partition.topic().equals(Topics.ORDERS)) {
			this.next.put(partition, position);
		}
	}

	void revoked(Collection<TopicPartition> partitions) {
		this.next.keySet().removeAll(partitions);
	}

	/**
	 * Looks for gaps below the records. It may get the same records again, for example
	 * after a failure, but reports each gap once.
	 * @param gaps called for each range of deleted offsets
	 * @throws org.apache.kafka.common.KafkaException if Kafka does not answer in time;
	 * the caller must then pass the same records again
	 */
	void check(Iterable<? extends ConsumerRecord<?, ?>> records, ReadPositions positions, Consumer<Gap> gaps) {
		for (ConsumerRecord<?, ?> record : records) {
			if (record.topic().equals(Topics.ORDERS)) {
				TopicPartition partition = new TopicPartition(record.topic(), record.partition());
				Long expected = this.next.get(partition);
				if (expected != null && record.offset() > expected) {
					positions.gapBelow(partition, expected, record.offset()).ifPresent(gaps);
				}
				// Only now, because a failed request is repeated with the same records.
				this.next.merge(partition, record.offset() + 1, Math::max);
			}
		}
	}

}
