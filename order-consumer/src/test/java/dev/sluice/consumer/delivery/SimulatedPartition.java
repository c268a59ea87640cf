package dev.sluice.consumer.delivery;

import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;

import dev.sluice.consumer.offsets.CommitMetadata;
import dev.sluice.consumer.offsets.FinishedOffsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * A partition of the topic as the broker has it, and what the simulation knows about it.
 */
final class SimulatedPartition {

	final TopicPartition id;

	final NavigableMap<Long, ConsumerRecord<byte[], byte[]>> log = new TreeMap<>();

	/** Records whose last outcome Kafka has. */
	final Set<Long> done = new HashSet<>();

	/** Records that were finished since the partition was assigned. */
	final Set<Long> doneInAssignment = new HashSet<>();

	@Nullable OffsetAndMetadata committed;

	/** The commit that the current assignment began with. */
	private @Nullable OffsetAndMetadata start;

	long end;

	int assignment;

	boolean assigned;

	SimulatedPartition(TopicPartition id) {
		this.id = id;
	}

	long committedOffset() {
		return (this.committed != null) ? this.committed.offset() : 0;
	}

	void assign() {
		this.assigned = true;
		this.assignment++;
		this.doneInAssignment.clear();
		this.start = this.committed;
	}

	/**
	 * Whether the commit that the assignment began with says that a record is finished.
	 */
	boolean isFinishedAtStart(long offset) {
		return this.start != null && (offset < this.start.offset() || finishedAbove(this.start).contains(offset));
	}

	/** An unfinished record that a commit calls finished, or -1. */
	long unfinishedIn(OffsetAndMetadata commit) {
		FinishedOffsets above = finishedAbove(commit);
		for (long offset : this.log.keySet()) {
			if ((offset < commit.offset() || above.contains(offset)) && !this.done.contains(offset)) {
				return offset;
			}
		}
		return -1;
	}

	private static FinishedOffsets finishedAbove(OffsetAndMetadata commit) {
		return FinishedOffsets.parse(commit.offset(), CommitMetadata.parse(commit.metadata()).rest());
	}

	boolean isSettled() {
		return this.done.size() == this.log.size() && (this.log.isEmpty() || committedOffset() > this.log.lastKey());
	}

}
