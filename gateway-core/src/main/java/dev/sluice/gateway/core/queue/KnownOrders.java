package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The orders of {@link RecentOrders} by their ids, and how far each partition has been
 * read. An order stays until the projection has committed its last record, or until there
 * are more records than the capacity; then the oldest of its partition is dropped.
 * <p>
 * One thread reads the topics; only it calls {@link #assign}, {@link #commit} and
 * {@link #add}. What this gateway wrote itself is in maps of its own until that thread
 * has read it, so that no thread waits for another one.
 */
final class KnownOrders {

	/** The offset of an outcome that Kafka has not acknowledged yet. */
	private static final long UNPUBLISHED = -1;

	private final int capacity;

	private final Map<UUID, Acceptance> accepted = new ConcurrentHashMap<>();

	private final Map<UUID, SyncSave> saved = new ConcurrentHashMap<>();

	private final Map<UUID, Written<Acceptance>> acknowledged = new ConcurrentHashMap<>();

	private final Map<UUID, Written<SyncSave>> publishing = new ConcurrentHashMap<>();

	private volatile Map<TopicPartition, Part> parts = Map.of();

	/** What the parts were when everything had been read for once. */
	private volatile Map<?, ?> current = Map.of();

	/** Number of places in all parts. Confined to the reading thread. */
	private int records;

	/**
	 * @param capacity maximum number of records
	 */
	KnownOrders(int capacity) {
		this.capacity = capacity;
	}

	@Nullable Acceptance acceptance(UUID id) {
		Acceptance read = this.accepted.get(id);
		Written<Acceptance> written = this.acknowledged.get(id);
		if (read == null || written == null) {
			return (written != null) ? written.order() : read;
		}
		return read.merge(written.order());
	}

	@Nullable SyncSave syncSave(UUID id) {
		SyncSave read = this.saved.get(id);
		Written<SyncSave> written = this.publishing.get(id);
		return (read == null && written != null) ? written.order() : read;
	}

	/** Number of orders that were read. */
	int size() {
		return this.accepted.size() + this.saved.size();
	}

	/** Kafka has acknowledged an order of this gateway. */
	void acknowledged(UUID id, Acceptance acceptance, TopicPartition partition) {
		if (isUnread(partition, acceptance.lastOffset()) && this.acknowledged.size() < this.capacity) {
			this.acknowledged.merge(id, new Written<>(partition, acceptance.lastOffset(), acceptance),
					(before, now) -> new Written<>(partition, Math.max(before.offset(), now.offset()),
							before.order().merge(now.order())));
		}
	}

	/** The outcome of a synchronous order is about to be published. */
	void publishing(UUID id, @Nullable Fingerprint fingerprint, Instant savedAt) {
		this.publishing.putIfAbsent(id,
				new Written<>(null, UNPUBLISHED, new SyncSave(fingerprint, savedAt, UNPUBLISHED)));
	}

	/** The outcome of a synchronous order has been acknowledged. */
	void published(UUID id, TopicPartition partition, long offset) {
		this.publishing.computeIfPresent(id, (_, save) -> isUnread(partition, offset) ? new Written<>(partition, offset,
				new SyncSave(save.order().fingerprint(), save.order().savedAt(), offset)) : null);
	}

	/** The outcome of a synchronous order has not been published. */
	void notPublished(UUID id) {
		this.publishing.computeIfPresent(id, (_, save) -> (save.partition() == null) ? null : save);
	}

	/**
	 * Whether the reading thread will come to a record. If not, it would stay for ever.
	 */
	private boolean isUnread(TopicPartition partition, long offset) {
		Part part = this.parts.get(partition);
		return part != null && offset >= part.position;
	}

	/** The partitions that are read; another map after each {@link #assign}. */
	Map<TopicPartition, Part> parts() {
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
	 * Whether everything was read once, and nothing of it has been lost since.
	 * @param read an earlier result of {@link #parts}
	 */
	boolean isKnown(Object read) {
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
			// Most outcomes are of queued orders, and not kept.
			if (partition.topic().equals(Topics.ORDERS)) {
				long begin = Math.max(part.committed, begins.getOrDefault(partition, 0L));
				backlogs.put(part, Math.max(0, ends.getOrDefault(partition, 0L) - begin));
			}
		}
		long all = backlogs.values().stream().mapToLong(Long::longValue).sum();
		if (all > this.capacity) {
			backlogs.values().removeIf((backlog) -> backlog == 0);
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
		this.parts = Map.of();
		this.records = 0;
		this.accepted.clear();
		this.saved.clear();
		this.acknowledged.clear();
		this.publishing.values().removeIf((save) -> save.partition() != null);
	}

	/** Forgets the orders that the projection has committed; all if it has gone back. */
	void commit(Map<TopicPartition, Long> committed, Consumer<byte[], byte[]> consumer) {
		for (Part part : this.parts.values()) {
			long offset = committed.getOrDefault(part.partition, 0L);
			if (offset < part.committed) {
				clear();
				return;
			}
			if (offset > part.position) {
				// PostgreSQL has it already.
				consumer.seek(part.partition, offset);
				part.position = offset;
			}
			while (!part.places.isEmpty() && part.places.getFirst().offset() < offset) {
				forgetFirst(part, offset);
			}
			part.committed = offset;
			if (offset >= part.awaited) {
				part.awaitedNanos = System.nanoTime();
				part.awaited = part.position;
			}
		}
		this.acknowledged.values().removeIf(this::isRead);
		this.publishing.values().removeIf(this::isRead);
	}

	private boolean isRead(Written<?> written) {
		TopicPartition partition = written.partition();
		return partition != null && !isUnread(partition, written.offset());
	}

	/** Adds a record that was read, and drops the oldest of its partition if it must. */
	void add(TopicPartition partition, RecentRecord record) {
		Part part = this.parts.get(partition);
		if (part == null) {
			return;
		}
		if (record.acceptance() != null) {
			this.accepted.merge(record.id(), record.acceptance(), Acceptance::merge);
		}
		if (record.save() != null) {
			this.saved.put(record.id(), record.save());
		}
		part.places.addLast(new Place(record.offset(), record.id()));
		this.records++;
		if (this.records > this.capacity) {
			long dropped = part.places.getFirst().offset() + 1;
			// First, so that who no longer finds the order sees why.
			part.knownFrom = dropped;
			forgetFirst(part, dropped);
		}
	}

	/** All records before the consumer's positions have been added. */
	void advance(Consumer<byte[], byte[]> consumer) {
		for (Part part : this.parts.values()) {
			try {
				long position = consumer.position(part.partition, Duration.ZERO);
				if (position < part.position) {
					// The log is shorter than it was.
					while (!part.places.isEmpty()) {
						forgetFirst(part, Long.MAX_VALUE);
					}
					part.committed = position;
					part.knownFrom = position;
				}
				part.position = position;
			}
			catch (TimeoutException _) {
				// The consumer is still looking it up.
			}
		}
	}

	/**
	 * Forgets the order of the first place, unless a record from the bound on repeats it.
	 */
	private void forgetFirst(Part part, long bound) {
		UUID id = part.places.removeFirst().id();
		this.records--;
		if (part.partition.topic().equals(Topics.ORDERS)) {
			this.accepted.computeIfPresent(id, (_, order) -> (order.lastOffset() < bound) ? null : order);
		}
		else {
			this.saved.computeIfPresent(id, (_, save) -> (save.offset() < bound) ? null : save);
		}
	}

	/**
	 * What this gateway wrote and may not have read yet.
	 *
	 * @param partition the partition of its record, null if it has none yet
	 * @param offset the offset of its last record
	 */
	private record Written<T>(@Nullable TopicPartition partition, long offset, T order) {
	}

	/** The place of an order's record. */
	private record Place(long offset, UUID id) {
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

		/** The records read and not committed yet. */
		private final ArrayDeque<Place> places = new ArrayDeque<>();

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

	}

}
