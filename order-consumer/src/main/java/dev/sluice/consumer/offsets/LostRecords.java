package dev.sluice.consumer.offsets;

import java.util.Locale;
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

	/** Who reads: the delivery, or the projection. */
	public enum Reader {

		DELIVERY, PROJECTION;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Registers the counter of a reader before the first loss. */
	public void expect(Reader reader, String topic) {
		counter(reader, topic);
	}

	/**
	 * Records a loss.
	 * @param from the first deleted offset, inclusive
	 * @param to the last deleted offset, exclusive
	 * @param records number of records between that were not processed
	 */
	public void lost(Reader reader, TopicPartition partition, long from, long to, long records) {
		logger.error("LOST: {} records of {}, offsets {} to {}, were deleted before the {} had read them. "
				+ "Check the topic's retention and which client deletes its records. Health stays down until a restart.",
				records, partition, from, to - 1, reader);
		counter(reader, partition.topic()).increment(records);
		this.details.merge(reader + ": " + partition, "%s records below offset %s".formatted(records, to),
				(before, now) -> before + ", " + now);
	}

	/**
	 * Records that a topic was deleted while it was read. The size of the loss is
	 * unknown.
	 */
	public void topicDeleted(Reader reader, String topic) {
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

	private Counter counter(Reader reader, String topic) {
		return ConsumerMetric.LOST_RECORDS.counter(this.registry, "reader", reader.toString(), "topic", topic);
	}

}
