package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The orders of {@link RecentOrders} by their ids, and how far each partition has been
 * read. An order counts until the projection has committed its last record. If there are
 * more than the capacity, the oldest of all partitions are dropped.
 * <p>
 * One thread reads the topics; only it calls {@link #assign}, {@link #commit},
 * {@link #add} and {@link #advance}. Requests add what this gateway wrote itself, before
 * that thread has read it.
 */
class KnownOrders {

	/** The offset of an outcome that Kafka has not acknowledged yet. */
	private static final long UNPUBLISHED = -1;

	/** One in so many is dropped at once: each time, all of them are looked at. */
	private static final int SHARE = 20;

	private final int capacity;

	private final Map<UUID, Known> accepted = new ConcurrentHashMap<>();

	private final Map<UUID, Known> saved = new ConcurrentHashMap<>();

	private volatile Map<TopicPartition, Part> parts = Map.of();

	/** What the parts were when everything had been read for once. */
	private volatile Map<?, ?> current = Map.of();

	/**
	 * @param capacity maximum number of orders; a batch that was just read comes on top
	 */
	KnownOrders(int capacity) {
		this.capacity = capacity;
	}

	/** The acceptance of an order; null if none is known. */
	public @Nullable RecentRecord acceptance(UUID id) {
		return record(this.accepted.get(id));
	}

	/** The synchronous save of an order; null if none is known. */
	public @Nullable RecentRecord syncSave(UUID id) {
		return record(this.saved.get(id));
	}

	private static @Nullable RecentRecord record(@Nullable Known known) {
		return (known != null && !known.isForgotten()) ? known.record() : null;
	}

	/** Number of orders in memory. */
	int size() {
		return this.accepted.size() + this.saved.size();
	}

	/**
	 * Kafka has acknowledged an order of this gateway.
	 * @param partition the partition of {@link Topics#ORDERS} that has its record
	 */
	public void accepted(RecentRecord acceptance, int partition) {
		Part part = this.parts.get(new TopicPartition(Topics.ORDERS, partition));
		if (part != null && acceptance.lastOffset() >= part.committed && size() < this.capacity) {
			accept(acceptance, part);
		}
	}

	private void accept(RecentRecord acceptance, Part part) {
		this.accepted.merge(acceptance.id(), new Known(part, acceptance), (before, now) -> {
			if (before.isForgotten()) {
				return now;
			}
			if (before.record().lastOffset() == acceptance.lastOffset() && before.part() == part) {
				// This gateway wrote it.
				return before;
			}
			RecentRecord both = before.record().merge(acceptance);
			return new Known((both.lastOffset() == acceptance.lastOffset()) ? part : before.part(), both);
		});
	}

	/** The outcome of a synchronous order is about to be published. */
	void publishing(UUID id, @Nullable Fingerprint fingerprint, Instant savedAt) {
		this.saved.merge(id, new Known(null, new RecentRecord(id, fingerprint, savedAt, UNPUBLISHED)),
				(before, now) -> before.isForgotten() ? now : before);
	}

	/**
	 * The outcome of a synchronous order has been published.
	 * @param sent its record; null if Kafka has not acknowledged one
	 */
	void published(UUID id, @Nullable RecordMetadata sent) {
		Part part = (sent != null) ? this.parts.get(new TopicPartition(sent.topic(), sent.partition())) : null;
		this.saved.computeIfPresent(id, (_, save) -> {
			if (save.part() != null) {
				return save;
			}
			RecentRecord record = save.record();
			return (sent != null && part != null && sent.offset() >= part.committed)
					? new Known(part, new RecentRecord(id, record.fingerprint(), record.first(), sent.offset())) : null;
		});
	}

	/** The partitions that are read; another map after each {@link #assign}. */
	public Map<TopicPartition, Part> parts() {
		return this.parts;
	}

	/** How much is known when the partitions have been read to their ends. */
	Reading atEnd(Map<TopicPartition, Part> read) {
		this.current = read;
		return isComplete(read) ? Reading.CURRENT : Reading.BEHIND;
	}

	/**
	 * How much is known while Kafka cannot be reached. What was read before counts only
	 * if that was everything once: after a start, or a new beginning, nothing may be
	 * known yet.
	 */
	Reading withoutKafka() {
		return isKnown(this.parts) ? Reading.UNREACHABLE : Reading.BEHIND;
	}

	/**
	 * Whether everything was read once, and nothing of it has been lost since: an order
	 * that was looked up meanwhile and is not known was not there.
	 * @param read an earlier result of {@link #parts}
	 */
	public boolean isKnown(Object read) {
		Map<TopicPartition, Part> now = this.parts;
		return now == read && now == this.current && isComplete(now);
	}

	/** Whether no order of the partitions was dropped that PostgreSQL may not have. */
	static boolean isComplete(Map<TopicPartition, Part> parts) {
		return !parts.isEmpty() && parts.values().stream().allMatch((part) -> part.knownFrom <= part.committed);
	}

	/** Whether the projection has not committed what was read this long ago. */
	boolean isUncommittedFor(Duration time) {
		long now = System.nanoTime();
		return this.parts.values()
			.stream()
			.anyMatch((part) -> part.committed < part.awaited && now - part.awaitedNanos > time.toNanos());
	}

	/**
	 * Forgets everything, and reads from the committed offsets on. If there are more
	 * orders than the capacity, begins with the oldest that can be kept: reading the
	 * others only to drop them would take a core for minutes.
	 * @param partitions what to read
	 */
	void assign(Set<TopicPartition> partitions, Map<TopicPartition, Long> committed,
			Consumer<byte[], byte[]> consumer) {
		clear();
		consumer.assign(partitions);
		Map<TopicPartition, Long> begins = consumer.beginningOffsets(partitions);
		Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
		Map<TopicPartition, Part> assigned = new HashMap<>();
		Map<Part, Long> backlogs = new HashMap<>();
		for (TopicPartition partition : partitions) {
			Part part = new Part(partition, committed.getOrDefault(partition, 0L));
			assigned.put(partition, part);
			long begin = Math.max(part.committed, begins.getOrDefault(partition, 0L));
			long backlog = ends.getOrDefault(partition, 0L) - begin;
			// Most outcomes are of queued orders, and not kept.
			if (backlog > 0 && partition.topic().equals(Topics.ORDERS)) {
				backlogs.put(part, backlog);
			}
		}
		long all = backlogs.values().stream().mapToLong(Long::longValue).sum();
		if (all > this.capacity) {
			backlogs.forEach((part, backlog) -> {
				part.position = ends.getOrDefault(part.partition, 0L) - backlog * this.capacity / all;
				part.knownFrom = part.position;
			});
		}
		assigned.values().forEach((part) -> consumer.seek(part.partition, part.position));
		this.parts = Map.copyOf(assigned);
	}

	/** Forgets everything, except outcomes that are being published. */
	void clear() {
		// Also what a request is about to add.
		this.parts.values().forEach((part) -> part.knownFrom = Long.MAX_VALUE);
		this.parts = Map.of();
		removeForgotten();
	}

	private void removeForgotten() {
		this.accepted.values().removeIf(Known::isForgotten);
		this.saved.values().removeIf(Known::isForgotten);
	}

	/** Forgets the orders that the projection has committed; all if it has gone back. */
	void commit(Map<TopicPartition, Long> committed) {
		for (Part part : this.parts.values()) {
			long offset = committed.getOrDefault(part.partition, 0L);
			if (offset < part.committed) {
				clear();
				return;
			}
			part.committed = offset;
			if (offset >= part.awaited) {
				part.awaitedNanos = System.nanoTime();
				part.awaited = part.position;
			}
		}
		removeForgotten();
	}

	/** Adds a record that was read. */
	void add(TopicPartition partition, RecentRecord record) {
		Part part = this.parts.get(partition);
		if (part == null || record.lastOffset() < part.committed) {
			return;
		}
		if (partition.topic().equals(Topics.ORDERS)) {
			accept(record, part);
		}
		else {
			this.saved.put(record.id(), new Known(part, record));
		}
	}

	/**
	 * All records before the consumer's positions have been added. Drops the oldest if
	 * there are too many, and forgets everything if a log is shorter than it was.
	 */
	void advance(Consumer<byte[], byte[]> consumer) {
		for (Part part : this.parts.values()) {
			try {
				long position = consumer.position(part.partition, Duration.ZERO);
				if (position < part.position) {
					clear();
					return;
				}
				part.position = position;
			}
			catch (TimeoutException _) {
				// The consumer is still looking it up.
			}
		}
		if (size() > this.capacity) {
			for (Part part : this.parts.values()) {
				long from = part.forgottenTo();
				part.knownFrom = from + Math.ceilDiv(Math.max(0, part.position - from), SHARE);
			}
			removeForgotten();
		}
	}

	/**
	 * An order in memory.
	 *
	 * @param part the partition of its record; null while this gateway publishes it
	 */
	private record Known(@Nullable Part part, RecentRecord record) {

		boolean isForgotten() {
			return this.part != null && this.record.lastOffset() < this.part.forgottenTo();
		}

	}

	/** How far a partition has been read. Written by the reading thread. */
	static final class Part {

		private final TopicPartition partition;

		/** The next record to be read. */
		private volatile long position;

		/** PostgreSQL has all orders below this offset. */
		private volatile long committed;

		/** Orders from this offset on have not been dropped. */
		private volatile long knownFrom;

		/** The position that the projection is to commit next, and when it was read. */
		private volatile long awaited;

		private volatile long awaitedNanos;

		private Part(TopicPartition partition, long committed) {
			this.partition = partition;
			this.position = committed;
			this.committed = committed;
			this.knownFrom = committed;
			this.awaited = committed;
		}

		long position() {
			return this.position;
		}

		private long forgottenTo() {
			return Math.max(this.committed, this.knownFrom);
		}

	}

}
