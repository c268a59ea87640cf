package dev.sluice.consumer.delivery;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.sluice.consumer.DeliveryProperties.Ordering;
import dev.sluice.consumer.offsets.FinishedOffsets;
import dev.sluice.consumer.offsets.PartitionProgress;
import dev.sluice.contract.OrderHeaders;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * What an {@link OrderReader} knows about each partition that is assigned to it: its
 * unfinished deliveries, and what it has committed. Only the loop's thread uses it,
 * except {@link #ids}.
 */
final class AssignedPartitions {

	private final Ordering ordering;

	private final Map<TopicPartition, Partition> partitions = new HashMap<>();

	private volatile Set<TopicPartition> ids = Set.of();

	AssignedPartitions(Ordering ordering) {
		this.ordering = ordering;
	}

	Set<TopicPartition> ids() {
		return this.ids;
	}

	/**
	 * @param finished the offsets above the partitions' commits that earlier readers have
	 * finished
	 */
	void add(Collection<TopicPartition> assigned, Map<TopicPartition, FinishedOffsets> finished) {
		assigned
			.forEach((id) -> this.partitions.put(id, new Partition(finished.getOrDefault(id, FinishedOffsets.NONE))));
		this.ids = Set.copyOf(this.partitions.keySet());
	}

	/** Forgets partitions and cancels their deliveries. */
	void remove(Collection<TopicPartition> of) {
		unfinished(of).forEach(Delivery::cancel);
		this.partitions.keySet().removeAll(of);
		this.ids = Set.copyOf(this.partitions.keySet());
	}

	/**
	 * @throws IllegalStateException if the partition is not assigned
	 */
	Partition get(TopicPartition id) {
		Partition partition = this.partitions.get(id);
		if (partition == null) {
			throw new IllegalStateException(id + " is read and not assigned");
		}
		return partition;
	}

	/** What to commit, for each partition with something new. */
	Map<TopicPartition, OffsetAndMetadata> committable(Collection<TopicPartition> of) {
		Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
		this.partitions.forEach((id, partition) -> {
			OffsetAndMetadata offset = of.contains(id) ? partition.committable() : null;
			if (offset != null) {
				offsets.put(id, offset);
			}
		});
		return offsets;
	}

	void committed(Map<TopicPartition, OffsetAndMetadata> offsets) {
		offsets.forEach((id, offset) -> {
			Partition partition = this.partitions.get(id);
			if (partition != null) {
				partition.committed = offset;
			}
		});
	}

	List<Delivery> unfinished(Collection<TopicPartition> of) {
		return this.partitions.entrySet()
			.stream()
			.filter((partition) -> of.contains(partition.getKey()))
			.flatMap((partition) -> partition.getValue().progress.unfinished().stream())
			.toList();
	}

	/** One assignment of a partition. */
	final class Partition {

		private final KeySequencer sequencer = new KeySequencer();

		private final PartitionProgress<Delivery> progress;

		private @Nullable OffsetAndMetadata committed;

		private Partition(FinishedOffsets earlier) {
			this.progress = new PartitionProgress<>(earlier);
		}

		/** The records of one order have one key, and wait for each other either way. */
		KeySequencer.Ticket ticket(ConsumerRecord<byte[], byte[]> record) {
			return switch (AssignedPartitions.this.ordering) {
				case NONE -> this.sequencer.ticket(id(record));
				case KEY -> this.sequencer.ticket(record.key());
			};
		}

		/** The order's id as the gateways write it; null if the record has none. */
		private static byte @Nullable [] id(ConsumerRecord<byte[], byte[]> record) {
			Header header = record.headers().lastHeader(OrderHeaders.ID);
			return (header != null) ? header.value() : null;
		}

		PartitionProgress<Delivery> progress() {
			return this.progress;
		}

		private @Nullable OffsetAndMetadata committable() {
			OffsetAndMetadata offset = this.progress.committable();
			return (offset != null && !offset.equals(this.committed)) ? offset : null;
		}

	}

}
