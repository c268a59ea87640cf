package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Semaphore;
import java.util.function.ToLongFunction;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.sink.client.spool.Spool.Entry;
import dev.sluice.sink.format.NumberRanges;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which numbered records are in the {@linkplain SegmentFormat segments} of a directory,
 * and which of them are settled. A record stays until it is settled. A segment stays
 * until all its records are settled and all segments before it are deleted.
 * <p>
 * Thread-safe: one thread writes with a {@link SegmentWriter}, each thread that reads has
 * its own {@link QueueReader}, and any thread may query and settle. Damaged records are
 * skipped, counted and settled when they are read. On a full disk records can still be
 * read, settled and deleted, but records settled then come back if the process ends
 * before there is room to write that.
 * <p>
 * Memory: up to {@value #RECENT_BYTES} bytes of the last entries, some 200 bytes for each
 * segment, and 100 for each gap between settled records.
 */
final class SegmentQueue {

	private static final Logger logger = LoggerFactory.getLogger(SegmentQueue.class);

	private static final int RECENT_BYTES = 16 * 1024 * 1024;

	/** The last entries, by number, from their commit until they are sent. */
	private final ConcurrentMap<Long, Entry> recent = new ConcurrentHashMap<>();

	private final Semaphore recentRoom = new Semaphore(RECENT_BYTES);

	@GuardedBy("this")
	private final NavigableMap<Long, Segment> segments = new TreeMap<>();

	/** Numbers that are settled, or were never assigned. */
	@GuardedBy("this")
	private final NumberRanges settled;

	/** Numbers that are settled, and not written as such yet. */
	@GuardedBy("this")
	private NumberRanges unnoted = new NumberRanges();

	/** Files of earlier openings that list settled records only. */
	@GuardedBy("this")
	private List<Path> empty;

	/** All records below this number are committed. */
	@GuardedBy("this")
	private long end;

	@GuardedBy("this")
	private long damaged;

	/**
	 * Finds the records of a directory, and writes nothing.
	 * @param directory directory that the caller has locked
	 * @throws IOException if files cannot be listed or opened
	 */
	SegmentQueue(Path directory, Disk disk) throws IOException {
		QueueRecovery.Found found = QueueRecovery.recover(directory, disk);
		found.segments().forEach((segment) -> this.segments.put(segment.first, segment));
		this.settled = found.settled();
		this.empty = found.empty();
		this.end = found.nextNumber();
	}

	/** The number after the last committed record. */
	synchronized long end() {
		return this.end;
	}

	/** Adds a segment that begins with the numbers settled so far. */
	synchronized void begun(Segment segment, long bytes) {
		segment.reaches(segment.first, segment.first, bytes);
		this.segments.put(segment.first, segment);
	}

	/** Adds records to the segment being written. */
	synchronized void committed(Segment segment, List<Entry> entries, long bytes) {
		for (Entry entry : entries) {
			if (this.recentRoom.tryAcquire((int) entry.bytes())) {
				this.recent.put(entry.number(), entry);
			}
		}
		this.end = segment.end() + entries.size();
		segment.addUnsettled(entries.size());
		segment.reaches(this.end, this.end, bytes);
	}

	/** An entry that is still in memory; null if it is to be read from its file. */
	@Nullable Entry recent(long number) {
		return this.recent.get(number);
	}

	/** Removes an entry from memory. */
	@Nullable Entry takeRecent(long number) {
		Entry entry = this.recent.remove(number);
		if (entry != null) {
			this.recentRoom.release((int) entry.bytes());
		}
		return entry;
	}

	/** All settled numbers, encoded. */
	synchronized byte[] encodeSettled() {
		return this.settled.encode();
	}

	/** Whether records are settled without that being written. */
	synchronized boolean hasUnnoted() {
		return !this.unnoted.isEmpty();
	}

	/** The numbers that are settled and not written as such, to be written now. */
	synchronized NumberRanges takeUnnoted() {
		NumberRanges taken = this.unnoted;
		this.unnoted = new NumberRanges();
		return taken;
	}

	/** Takes back numbers that could not be written. */
	synchronized void giveBack(NumberRanges taken) {
		this.unnoted.addAll(taken);
	}

	/**
	 * Removes the oldest segments while all their records are settled.
	 * @param kept a segment to keep; null for none
	 */
	synchronized List<Segment> removeSettled(@Nullable Segment kept) {
		List<Segment> removed = new ArrayList<>();
		Map.Entry<Long, Segment> first = this.segments.firstEntry();
		while (first != null && first.getValue().unsettled() == 0 && first.getValue() != kept) {
			removed.add(first.getValue());
			this.segments.remove(first.getKey());
			first = this.segments.firstEntry();
		}
		return removed;
	}

	/** The files of earlier openings that list settled records only, to be deleted. */
	synchronized List<Path> takeEmpty() {
		List<Path> taken = this.empty;
		this.empty = List.of();
		return taken;
	}

	/** Whether there is no segment with records, nor one being written. */
	synchronized boolean isEmpty() {
		return this.segments.isEmpty();
	}

	/** Settles a record, unless it is settled already or does not exist. */
	synchronized void settle(long number) {
		Segment segment = segmentOf(number);
		if (segment != null) {
			settle(segment, number, number + 1);
		}
	}

	@GuardedBy("this")
	private void settle(Segment segment, long from, long to) {
		segment.addUnsettled(this.settled.count(from, to) - (to - from));
		this.settled.add(from, to);
		this.unnoted.add(from, to);
	}

	/**
	 * The first committed record at or after a number that is not settled; if there is
	 * none, the number of the next record.
	 */
	synchronized long firstUnsettled(long from) {
		return Math.min(this.settled.firstMissing(Math.max(0, from)), this.end);
	}

	/** The segment of a record; null if the record is settled or does not exist. */
	synchronized @Nullable Segment segmentOf(long number) {
		Map.Entry<Long, Segment> segment = this.segments.floorEntry(number);
		return (segment != null && number < segment.getValue().end() && !this.settled.contains(number))
				? segment.getValue() : null;
	}

	/** Committed bytes of a segment's file. */
	synchronized long bytes(Segment segment) {
		return segment.bytes();
	}

	/**
	 * Settles records that can no longer be read, and counts those that were promised.
	 */
	synchronized void lost(Segment segment, long from, long to) {
		long last = Math.min(to, segment.end());
		long promised = Math.max(from, Math.min(last, segment.promised()));
		long count = promised - from - this.settled.count(from, promised);
		if (count > 0) {
			this.damaged += count;
			logger.error("{} is damaged: {} messages with numbers from {} to {} are lost", segment.file, count, from,
					promised - 1);
		}
		if (last > promised) {
			logger.warn("{} has lost messages {} to {}, which were not confirmed to their sender", segment.file,
					promised, last - 1);
		}
		settle(segment, from, last);
	}

	/** Records that are not settled. */
	synchronized long unsettled() {
		return sum(Segment::unsettled);
	}

	/** Bytes of the unsettled records, roughly. */
	synchronized long unsettledBytes() {
		return sum(Segment::unsettledBytes);
	}

	/** Bytes of the files. */
	synchronized long bytes() {
		return sum(Segment::bytes);
	}

	/** There are few segments: at most some 40, and one for each opening. */
	@GuardedBy("this")
	private long sum(ToLongFunction<Segment> value) {
		long sum = 0;
		for (Segment segment : this.segments.values()) {
			sum += value.applyAsLong(segment);
		}
		return sum;
	}

	/** Promised records that were found damaged since the queue was opened. */
	synchronized long damaged() {
		return this.damaged;
	}

}
