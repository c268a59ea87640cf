package dev.sluice.consumer.offsets;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

import org.apache.kafka.clients.consumer.OffsetAndMetadata;

/**
 * How far one partition has come. Records begin in the order of their offsets and finish
 * in any; what may be committed is the offset of the lowest that has not finished, and in
 * its metadata what has finished above it.
 * <p>
 * Holds the unfinished records only: not more than are pending, however long the lowest
 * of them takes. Offsets that never begin (compacted away, or a transaction's markers)
 * hold nothing up. Begun and committed by the polling thread, finished by any.
 *
 * @param <T> the work on a record
 */
public final class PartitionProgress<T> {

	// Begun in ascending order, so the first entry is the lowest offset.
	private final SequencedMap<Long, T> unfinished = new LinkedHashMap<>();

	/** By whoever had the partition before. */
	private final FinishedRuns earlier;

	private long next;

	/**
	 * @param position the first offset that may begin
	 * @param earlier what the last commit says, of this partition or one that is gone
	 */
	public PartitionProgress(long position, FinishedRuns earlier) {
		this.next = position;
		this.earlier = earlier.holdFrom(position) ? earlier : FinishedRuns.NONE;
	}

	/**
	 * Passes a record if it finished in an earlier life of this partition.
	 * @return whether it did; else it is to begin
	 */
	public synchronized boolean pass(long offset) {
		boolean finished = this.earlier.contain(offset);
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
			throw new IllegalStateException("offset %d begins after %d".formatted(offset, this.next - 1));
		}
		this.next = offset + 1;
	}

	public synchronized void finish(long offset) {
		this.unfinished.remove(offset);
	}

	/**
	 * What to go on from after a restart: everything below it has finished, and above it
	 * what its metadata says.
	 */
	public synchronized OffsetAndMetadata committable() {
		long committable = this.unfinished.isEmpty() ? this.next : this.unfinished.firstEntry().getKey();
		FinishedRuns.Text finished = new FinishedRuns.Text(committable);
		long behind = committable;
		for (long offset : this.unfinished.keySet()) {
			finished.add(behind, offset);
			behind = offset + 1;
		}
		finished.add(behind, this.next);
		this.earlier.from(this.next, finished);
		return new OffsetAndMetadata(committable, finished.toString());
	}

	/** The work that has not finished, lowest offset first. */
	public synchronized List<T> unfinished() {
		return List.copyOf(this.unfinished.values());
	}

}
