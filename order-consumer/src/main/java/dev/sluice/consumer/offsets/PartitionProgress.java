package dev.sluice.consumer.offsets;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The progress of one partition. Records begin in the order of their offsets and finish
 * in any order. The committable offset is that of the lowest unfinished record, and its
 * metadata says which records above it are finished.
 * <p>
 * It keeps the unfinished records only, at most as many as are pending. Offsets without a
 * record (removed by compaction, or markers of a transaction) delay nothing. The polling
 * thread begins and commits records, any thread finishes them.
 *
 * @param <T> the work on a record
 */
public final class PartitionProgress<T> {

	// Records begin in ascending order, so the first entry is the lowest offset.
	private final SequencedMap<Long, T> unfinished = new LinkedHashMap<>();

	/** Offsets that earlier readers of the partition have finished. */
	private final FinishedOffsets earlier;

	/** The offset after the last record; 0 before the first one. */
	private long next;

	public PartitionProgress(FinishedOffsets earlier) {
		this.earlier = earlier;
	}

	/**
	 * Skips a record that an earlier reader has finished.
	 * @return whether it is finished; if not, it must begin
	 */
	public synchronized boolean skipIfFinished(long offset) {
		boolean finished = this.earlier.contains(offset);
		if (finished) {
			advance(offset);
		}
		return finished;
	}

	public synchronized void begin(long offset, T work) {
		advance(offset);
		this.unfinished.put(offset, work);
	}

	private void advance(long offset) {
		if (offset < this.next) {
			throw new IllegalStateException("offset %s begins after %s".formatted(offset, this.next - 1));
		}
		this.next = offset + 1;
	}

	public synchronized void finish(long offset) {
		this.unfinished.remove(offset);
	}

	/**
	 * The offset to commit. All records below it are finished, and above it those that
	 * the metadata lists.
	 * @return null before the first record
	 */
	public synchronized @Nullable OffsetAndMetadata committable() {
		if (this.next == 0) {
			return null;
		}
		long committable = this.unfinished.isEmpty() ? this.next : this.unfinished.firstEntry().getKey();
		FinishedOffsets.Text finished = new FinishedOffsets.Text(committable);
		long behind = committable;
		for (long offset : this.unfinished.keySet()) {
			finished.add(behind, offset);
			behind = offset + 1;
		}
		finished.add(behind, this.next);
		this.earlier.from(this.next, finished);
		return new OffsetAndMetadata(committable, finished.toString());
	}

	/** The work on unfinished records, lowest offset first. */
	public synchronized List<T> unfinished() {
		return List.copyOf(this.unfinished.values());
	}

}
