package dev.sluice.consumer.delivery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;

/**
 * How far one partition has come. Records begin in the order of their offsets and finish
 * in any; what may be committed is the offset of the lowest that has not finished.
 * <p>
 * Holds the unfinished records only: not more than are pending, however long the lowest
 * of them takes. Offsets that never begin (compacted away, or a transaction's markers)
 * hold nothing up. Begun and committed by the polling thread, finished by any.
 *
 * @param <T> the work on a record
 */
final class PartitionProgress<T> {

	// Begun in ascending order, so the first entry is the lowest offset.
	private final SequencedMap<Long, T> unfinished = new LinkedHashMap<>();

	private long next;

	/**
	 * @param position the first offset that may begin
	 */
	PartitionProgress(long position) {
		this.next = position;
	}

	synchronized void begin(long offset, T work) {
		if (offset < this.next) {
			throw new IllegalStateException("offset %d begins after %d".formatted(offset, this.next - 1));
		}
		this.unfinished.put(offset, work);
		this.next = offset + 1;
	}

	synchronized void finish(long offset) {
		this.unfinished.remove(offset);
	}

	/** The offset to go on from after a restart: everything below it has finished. */
	synchronized long committable() {
		return this.unfinished.isEmpty() ? this.next : this.unfinished.firstEntry().getKey();
	}

	/** The work that has not finished, lowest offset first. */
	synchronized List<T> unfinished() {
		return List.copyOf(this.unfinished.values());
	}

}
