package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.ToLongFunction;

import dev.sluice.contract.Fingerprint;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The orders of {@link RecentOrders} by their ids, and how far each partition has been
 * read. An order stays until the projection has committed its last record.
 * <p>
 * One thread reads the topics; only it calls {@link #assign}, {@link #commit},
 * {@link #add} and {@link #advance}. What this gateway wrote itself is in maps of its own
 * until that thread has read it, so that no thread waits for another one.
 */
final class KnownOrders {

	/** The offset of an outcome that Kafka has not acknowledged yet. */
	private static final long UNPUBLISHED = -1;

	private final int capacity;

	private final Map<UUID, Known<Acceptance>> accepted = new ConcurrentHashMap<>();

	private final Map<UUID, Known<SyncSave>> saved = new ConcurrentHashMap<>();

	private final Map<UUID, Known<Acceptance>> acknowledged = new ConcurrentHashMap<>();

	private final Map<UUID, Known<SyncSave>> publishing = new ConcurrentHashMap<>();

	private volatile Map<TopicPartition, Part> parts = Map.of();

	/** The parts that have been read to their ends, since when there was always room. */
	private volatile Map<?, ?> current = Map.of();

	/**
	 * @param capacity number of orders from which on no more should be read
	 */
	KnownOrders(int capacity) {
		this.capacity = capacity;
	}

	@Nullable Acceptance acceptance(UUID id) {
		Known<Acceptance> read = this.accepted.get(id);
		Known<Acceptance> written = this.acknowledged.get(id);
		if (read == null || written == null) {
			return (written != null) ? written.order() : order(read);
		}
		return read.order().merge(written.order());
	}

	@Nullable SyncSave syncSave(UUID id) {
		SyncSave read = order(this.saved.get(id));
		return (read != null) ? read : order(this.publishing.get(id));
	}

	private static <T> @Nullable T order(@Nullable Known<T> known) {
		return (known != null) ? known.order() : null;
	}

	/** Number of orders that were read. */
	int size() {
		return this.accepted.size() + this.saved.size();
	}

	/**
	 * Whether no more may be read until the projection has committed some orders. Then
	 * not all are known, until {@link #atEnd} says so again.
	 */
	boolean isFull() {
		boolean full = size() >= this.capacity;
		if (full) {
			this.current = Map.of();
		}
		return full;
	}

	/** Kafka has acknowledged an order of this gateway. */
	void acknowledged(UUID id, Acceptance acceptance, TopicPartition partition) {
		Known<Acceptance> known = new Known<>(acceptance, partition, acceptance.lastOffset());
		if (!isRead(known) && this.acknowledged.size() < this.capacity) {
			this.acknowledged.merge(id, known, KnownOrders::merge);
		}
	}

	private static Known<Acceptance> merge(Known<Acceptance> before, Known<Acceptance> now) {
		Acceptance both = before.order().merge(now.order());
		return new Known<>(both, now.partition(), both.lastOffset());
	}

	/** The outcome of a synchronous order is about to be published. */
	void publishing(UUID id, @Nullable Fingerprint fingerprint, Instant savedAt) {
		this.publishing.putIfAbsent(id,
				new Known<>(new SyncSave(fingerprint, savedAt, UNPUBLISHED), null, UNPUBLISHED));
	}

	/** The outcome of a synchronous order has been acknowledged. */
	void published(UUID id, TopicPartition partition, long offset) {
		this.publishing.computeIfPresent(id, (_, save) -> {
			Known<SyncSave> known = new Known<>(
					new SyncSave(save.order().fingerprint(), save.order().savedAt(), offset), partition, offset);
			return (isRead(known) || this.publishing.size() > this.capacity) ? null : known;
		});
	}

	/** The outcome of a synchronous order has not been published. */
	void notPublished(UUID id) {
		this.publishing.computeIfPresent(id, (_, save) -> (save.partition() == null) ? null : save);
	}

	/** The partitions that are read; another map after each {@link #assign}. */
	Map<TopicPartition, Part> parts() {
		return this.parts;
	}

	/** How much is known when the partitions have been read to their ends. */
	Reading atEnd(Map<TopicPartition, Part> read) {
		this.current = read;
		return read.isEmpty() ? Reading.BEHIND : Reading.CURRENT;
	}

	/**
	 * How much is known while Kafka cannot be reached. What was read before counts only
	 * if that was everything once: after a start, or a new beginning, nothing may be
	 * known yet.
	 */
	Reading withoutKafka() {
		Map<TopicPartition, Part> read = this.parts;
		return (read == this.current && !read.isEmpty()) ? Reading.UNREACHABLE : Reading.BEHIND;
	}

	/** Whether the projection has not committed what was read this long ago. */
	boolean isUncommittedFor(Duration time) {
		long now = System.nanoTime();
		return this.parts.values()
			.stream()
			.anyMatch((part) -> part.committed < part.awaited && now - part.awaitedNanos > time.toNanos());
	}

	/**
	 * Forgets everything, and reads from the committed offsets on.
	 * @param partitions what to read
	 */
	void assign(Set<TopicPartition> partitions, Map<TopicPartition, Long> committed,
			Consumer<byte[], byte[]> consumer) {
		clear();
		consumer.assign(partitions);
		Map<TopicPartition, Part> assigned = new HashMap<>();
		for (TopicPartition partition : partitions) {
			Part part = new Part(committed.getOrDefault(partition, 0L));
			assigned.put(partition, part);
			consumer.seek(partition, part.position);
		}
		this.parts = Map.copyOf(assigned);
	}

	/** Forgets everything, except outcomes that are being published. */
	void clear() {
		this.parts = Map.of();
		forget();
	}

	/** Forgets the orders that the projection has committed. */
	void commit(Map<TopicPartition, Long> committed, Consumer<byte[], byte[]> consumer) {
		this.parts.forEach((partition, part) -> {
			long offset = committed.getOrDefault(partition, 0L);
			if (offset > part.position) {
				// PostgreSQL has it already.
				consumer.seek(partition, offset);
				part.position = offset;
			}
			part.committed = offset;
			if (offset >= part.awaited) {
				part.awaitedNanos = System.nanoTime();
				part.awaited = part.position;
			}
		});
		forget();
	}

	private void forget() {
		this.accepted.values().removeIf(this::isCommitted);
		this.saved.values().removeIf(this::isCommitted);
		this.acknowledged.values().removeIf(this::isRead);
		this.publishing.values().removeIf(this::isRead);
	}

	private boolean isCommitted(Known<?> order) {
		return isPassed(order, (part) -> part.committed);
	}

	private boolean isRead(Known<?> order) {
		return isPassed(order, (part) -> part.position);
	}

	/** An order of a partition that is not read would stay for ever. */
	private boolean isPassed(Known<?> order, ToLongFunction<Part> offset) {
		TopicPartition partition = order.partition();
		Part part = (partition != null) ? this.parts.get(partition) : null;
		return partition != null && (part == null || order.lastOffset() < offset.applyAsLong(part));
	}

	/** Adds a record that was read. */
	void add(TopicPartition partition, RecentRecord record) {
		Acceptance acceptance = record.acceptance();
		SyncSave save = record.save();
		if (acceptance != null) {
			this.accepted.merge(record.id(), new Known<>(acceptance, partition, record.offset()), KnownOrders::merge);
		}
		if (save != null) {
			this.saved.put(record.id(), new Known<>(save, partition, record.offset()));
		}
	}

	/** All records before the consumer's positions have been added. */
	void advance(Consumer<byte[], byte[]> consumer) {
		this.parts.forEach((partition, part) -> {
			try {
				long position = consumer.position(partition, Duration.ZERO);
				if (position < part.position) {
					// The log is shorter than it was, so all that was read is wrong.
					part.committed = Long.MAX_VALUE;
					forget();
					part.committed = position;
				}
				part.position = position;
			}
			catch (TimeoutException _) {
				// The consumer is still looking it up.
			}
		});
	}

	/**
	 * An order, and its last record.
	 *
	 * @param partition the record's partition; null if it is on its way to Kafka
	 */
	private record Known<T>(T order, @Nullable TopicPartition partition, long lastOffset) {
	}

	/** How far a partition has been read. Written by the reading thread. */
	static final class Part {

		/** The next record to be read. */
		private volatile long position;

		/** PostgreSQL has all orders below this offset. */
		private volatile long committed;

		/** The position that the projection is to commit next, and when it was read. */
		private volatile long awaited;

		private volatile long awaitedNanos;

		private Part(long committed) {
			this.position = committed;
			this.committed = committed;
			this.awaited = committed;
		}

		long position() {
			return this.position;
		}

	}

}
