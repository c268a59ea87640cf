package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Collectors;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.queue.TopicsSnapshot.Layout;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How far {@link RecentOrders} has read each partition and the projection has committed
 * it. An order stays in {@link KnownOrders} until its partition's committed offset has
 * passed its last record, or until there are more than the capacity; then the oldest are
 * dropped, and {@link #rest} is not complete until the projection has passed them. Not
 * thread-safe.
 */
final class RecentPartitions {

	private static final Logger logger = LoggerFactory.getLogger(RecentPartitions.class);

	private final KnownOrders orders;

	private final int capacity;

	private final Map<TopicPartition, Part> parts = new HashMap<>();

	private Map<String, Uuid> topicIds = Map.of();

	/**
	 * @param orders the known orders, which this adds and removes
	 * @param capacity maximum number of orders
	 */
	RecentPartitions(KnownOrders orders, int capacity) {
		this.orders = orders;
		this.capacity = capacity;
	}

	/**
	 * Kafka has acknowledged a record of this gateway.
	 * @param id the order's id
	 * @return whether to add its order: the record has not been read yet. An order that
	 * was read may have been forgotten already, and must not come back
	 */
	boolean acknowledge(TopicPartition partition, long offset, UUID id) {
		Part part = this.parts.get(partition);
		if (part == null || offset < part.position || this.orders.size() >= this.capacity) {
			return false;
		}
		part.acknowledged.put(offset, id);
		return true;
	}

	Set<TopicPartition> partitions() {
		return Set.copyOf(this.parts.keySet());
	}

	/** Whether all partitions of the topics are read. */
	boolean covers(Set<String> topics) {
		return this.topicIds.keySet().containsAll(topics);
	}

	/** Whether a topic is new, was recreated or has more partitions. */
	boolean isOutdated(TopicsSnapshot snapshot) {
		return !snapshot.layout().equals(layout());
	}

	private Map<String, Layout> layout() {
		Map<String, Integer> counts = new HashMap<>();
		this.parts.keySet().forEach((partition) -> counts.merge(partition.topic(), 1, Integer::sum));
		return this.topicIds.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey,
					(topic) -> new Layout(topic.getValue(), counts.getOrDefault(topic.getKey(), 0))));
	}

	/** Assigns the current partitions; new ones are read from their committed offset. */
	void assign(TopicsSnapshot snapshot, Consumer<byte[], byte[]> consumer) {
		Map<String, Layout> layout = snapshot.layout();
		Set<TopicPartition> expected = snapshot.partitions();
		for (TopicPartition partition : List.copyOf(this.parts.keySet())) {
			Layout topic = layout.get(partition.topic());
			if (!expected.contains(partition) || topic == null
					|| !topic.id().equals(this.topicIds.get(partition.topic()))) {
				forgetAll(Objects.requireNonNull(this.parts.remove(partition)));
			}
		}
		consumer.assign(expected);
		for (TopicPartition partition : expected) {
			if (!this.parts.containsKey(partition)) {
				Part part = new Part(partition, snapshot.committed(partition));
				this.parts.put(partition, part);
				consumer.seek(partition, part.position);
			}
		}
		this.topicIds = layout.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (topic) -> topic.getValue().id()));
	}

	/** Forgets the orders that the projection has committed. */
	void commit(TopicsSnapshot snapshot, Consumer<byte[], byte[]> consumer) {
		for (Part part : this.parts.values()) {
			commit(part, snapshot.committed(part.partition), consumer);
		}
	}

	private void commit(Part part, long committed, Consumer<byte[], byte[]> consumer) {
		if (committed < part.committed) {
			logger.info("The projection has gone back to offset {} of {}", committed, part.partition);
			clear(part);
			part.restart(committed);
			consumer.seek(part.partition, committed);
			return;
		}
		part.committed = committed;
		if (committed > part.position) {
			// PostgreSQL has it already.
			part.restart(committed);
			forgetPassed(part);
			consumer.seek(part.partition, committed);
		}
		while (!part.marks.isEmpty() && part.marks.getFirst().offset() < committed) {
			forget(part, part.marks.removeFirst().id(), committed);
		}
		part.base = Math.max(part.base, committed);
	}

	/** Adds the records, and drops the oldest orders if there are too many. */
	void add(List<RecentRecord> records, Consumer<byte[], byte[]> consumer) {
		records.forEach(this::add);
		for (Part part : this.parts.values()) {
			advance(part, consumer);
		}
		while (this.orders.size() > this.capacity && evict()) {
			// Each call drops one.
		}
	}

	private void add(RecentRecord record) {
		Part part = this.parts.get(record.partition());
		if (part == null) {
			return;
		}
		if (record.acceptance() != null) {
			this.orders.accept(record.id(), record.acceptance());
		}
		if (record.save() != null) {
			this.orders.save(record.id(), record.save());
		}
		part.acknowledged.remove(record.offset());
		part.marks.addLast(new Mark(record.offset(), record.timestamp(), record.id()));
	}

	private void advance(Part part, Consumer<byte[], byte[]> consumer) {
		long position;
		try {
			position = consumer.position(part.partition, Duration.ZERO);
		}
		catch (TimeoutException ex) {
			// The consumer is still looking it up.
			return;
		}
		if (position < part.position) {
			// The log is shorter than it was.
			forgetAll(part);
			part.restart(position);
		}
		part.position = position;
		forgetPassed(part);
	}

	/** Drops the oldest order; false if there is none to drop. */
	private boolean evict() {
		Part oldest = this.parts.values()
			.stream()
			.filter((part) -> !part.marks.isEmpty())
			.min(Comparator.comparingLong((part) -> part.marks.getFirst().timestamp()))
			.orElse(null);
		if (oldest == null) {
			return false;
		}
		Mark mark = oldest.marks.removeFirst();
		oldest.base = mark.offset() + 1;
		forget(oldest, mark.id(), oldest.base);
		return true;
	}

	/**
	 * Counts the records left to read.
	 * @param ends the ends of the partitions
	 */
	Rest rest(Map<TopicPartition, Long> ends) {
		long records = 0;
		boolean complete = true;
		for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
			Part part = this.parts.get(end.getKey());
			if (part != null) {
				records += Math.max(0, end.getValue() - part.position);
				complete &= part.base <= part.committed;
			}
		}
		return new Rest(records, complete);
	}

	/** Forgets all orders and partitions. */
	void clear() {
		this.parts.values().forEach(this::forgetAll);
		this.parts.clear();
		this.topicIds = Map.of();
	}

	private void forgetAll(Part part) {
		clear(part);
		part.acknowledged.values().forEach((id) -> forget(part, id, Long.MAX_VALUE));
		part.acknowledged.clear();
	}

	/** Forgets the orders of the records that were read. */
	private void clear(Part part) {
		part.marks.forEach((mark) -> forget(part, mark.id(), Long.MAX_VALUE));
		part.marks.clear();
	}

	/**
	 * Forgets acknowledged orders whose records will not be read: the position is past
	 * them.
	 */
	private void forgetPassed(Part part) {
		Map<Long, UUID> passed = part.acknowledged.headMap(part.position);
		passed.forEach((offset, id) -> forget(part, id, offset + 1));
		passed.clear();
	}

	/** Forgets an order, unless a record at or after the bound repeats it. */
	private void forget(Part part, UUID id, long below) {
		if (part.partition.topic().equals(Topics.ORDERS)) {
			this.orders.forgetAcceptance(id, below);
		}
		else {
			this.orders.forgetSave(id, below);
		}
	}

	/**
	 * How much is left to read.
	 *
	 * @param records number of records
	 * @param complete whether no order was dropped that PostgreSQL may not have
	 */
	record Rest(long records, boolean complete) {
	}

	/** The place of an order's record. */
	private record Mark(long offset, long timestamp, UUID id) {
	}

	/** How far a partition has been read. */
	private static final class Part {

		private final TopicPartition partition;

		/** Orders from this offset on are known. */
		private long base;

		/** The next record to be read. */
		private long position;

		/** PostgreSQL has all orders below this offset. */
		private long committed;

		/** The records read and not committed yet, in the order of the topic. */
		private final ArrayDeque<Mark> marks = new ArrayDeque<>();

		/** The orders of records that this gateway wrote and has not read yet. */
		private final NavigableMap<Long, UUID> acknowledged = new TreeMap<>();

		Part(TopicPartition partition, long committed) {
			this.partition = partition;
			restart(committed);
		}

		void restart(long offset) {
			this.base = offset;
			this.position = offset;
			this.committed = offset;
		}

	}

}
