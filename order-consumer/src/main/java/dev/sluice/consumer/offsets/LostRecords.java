package dev.sluice.consumer.offsets;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;

import dev.sluice.consumer.ConsumerMetric;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records that were deleted before this process could read them. Each loss is logged as
 * an error, counted, and shown by health until the process ends. There is one entry for
 * each reader and partition.
 */
public final class LostRecords {

	private static final Logger logger = LoggerFactory.getLogger(LostRecords.class);

	private final MeterRegistry registry;

	private final Map<String, String> details = new ConcurrentSkipListMap<>();

	public LostRecords(MeterRegistry registry) {
		this.registry = registry;
	}

	/** Registers the counter of a reader before the first loss. */
	public void expect(String reader, String topic) {
		counter(reader, topic);
	}

	/**
	 * Records a loss.
	 * @param reader {@code delivery} or {@code projection}
	 * @param gap the deleted offsets
	 * @param records number of them that were not processed
	 */
	public void lost(String reader, Gap gap, long records) {
		logger.error("LOST: {} records of {}, offsets {} to {}, were deleted before the {} had read them. "
				+ "Check the topic's retention and which client deletes its records. Health stays down until a restart.",
				records, gap.partition(), gap.from(), gap.to() - 1, reader);
		counter(reader, gap.partition().topic()).increment(records);
		this.details.merge(reader + ": " + gap.partition(), "%s records below offset %s".formatted(records, gap.to()),
				(before, now) -> before + ", " + now);
	}

	/**
	 * Records that a topic was deleted while it was read. The size of the loss is
	 * unknown.
	 */
	public void topicDeleted(String reader, String topic) {
		logger.error("LOST: topic {} was deleted. Records that the {} had not processed are lost; their number is "
				+ "unknown. Health stays down until a restart.", topic, reader);
		this.details.put(reader + ": " + topic, "the topic was deleted");
	}

	public boolean isEmpty() {
		return this.details.isEmpty();
	}

	public Map<String, Object> details() {
		return new TreeMap<>(this.details);
	}

	private Counter counter(String reader, String topic) {
		return ConsumerMetric.LOST_RECORDS.counter(this.registry, "reader", reader, "topic", topic);
	}

	/**
	 * A range of deleted offsets.
	 *
	 * @param from the first offset, inclusive
	 * @param to the last offset, exclusive
	 */
	public record Gap(TopicPartition partition, long from, long to) {

		public long size() {
			return this.to - this.from;
		}

	}

}
