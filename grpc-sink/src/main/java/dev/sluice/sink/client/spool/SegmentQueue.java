package dev.sluice.sink.client.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A queue of numbered records in the {@linkplain SegmentFormat segments} of a directory.
 * A record stays until it is settled. A segment stays until all its records are settled
 * and all segments before it are deleted. Notes list the settled records: each segment
 * starts with a note of all records settled before it, and notes before its batches list
 * those settled since. So the newest segment lists them all, and if it is lost, records
 * are sent again but none is lost with it.
 * <p>
 * One thread writes: {@link #begin}, {@link #append}, {@link #commit}, or
 * {@link #rollBack} if one of them fails; then {@link #deleteSettled}. Any thread may
 * query and settle. Each thread that reads needs its own {@linkplain #reader() reader}.
 * Opening a queue writes nothing, and the queue never appends to a file of an earlier
 * opening, so an incomplete batch that a crash left at the end of a segment needs no
 * repair.
 * <p>
 * Damaged records are skipped, counted and settled when they are read. On a full disk
 * nothing can be appended. Records can still be read, settled and deleted, but records
 * settled then come back if the process ends before there is room to note them.
 * <p>
 * Memory: some 200 bytes for each segment, 100 for each 128 KB read or written, and 100
 * for each gap between settled records.
 */
final class SegmentQueue implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(SegmentQueue.class);

	private static final int BUFFER_BYTES = 1024 * 1024;

	private final Path directory;

	private final long session;

	private final long segmentBytes;

	private final boolean force;

	private final Disk disk;

	private final SecureRandom random = new SecureRandom();

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

	@GuardedBy("this")
	private final NavigableMap<Long, QueueSegment> segments = new TreeMap<>();

	/** Numbers that are settled, or were never assigned. */
	@GuardedBy("this")
	private final NumberRanges settled;

	/** Numbers that are settled and not in a note yet. */
	@GuardedBy("this")
	private NumberRanges unnoted = new NumberRanges();

	/** All records below this number are committed. */
	@GuardedBy("this")
	private long committed;

	@GuardedBy("this")
	private long unsettled;

	@GuardedBy("this")
	private long unsettledBytes;

	@GuardedBy("this")
	private long bytes;

	@GuardedBy("this")
	private long damaged;

	/**
	 * The segment being written. This and the following fields are confined to the
	 * writing thread.
	 */
	private @Nullable QueueSegment active;

	private @Nullable SegmentWriter writer;

	/**
	 * Files of earlier openings without records; kept until the active segment notes the
	 * same settled records.
	 */
	private List<Path> empty;

	/** Numbers that the current batch notes. */
	private NumberRanges noting = new NumberRanges();

	private long nextNumber;

	private boolean uncommitted;

	/**
	 * Opens a queue, or creates one.
	 * @param directory directory that the caller has {@linkplain DirectoryLock locked}
	 * @param session random number for this opening
	 * @param segmentBytes length at which a segment is full
	 * @param force whether a commit is forced to the disk
	 * @throws IOException if files cannot be listed or opened
	 */
	public SegmentQueue(Path directory, long session, long segmentBytes, boolean force, Disk disk) throws IOException {
		this.directory = directory;
		this.session = session;
		this.segmentBytes = segmentBytes;
		this.force = force;
		this.disk = disk;
		QueueRecovery.Found found = QueueRecovery.recover(directory, disk);
		this.settled = found.settled();
		this.nextNumber = found.nextNumber();
		this.committed = this.nextNumber;
		for (QueueSegment segment : found.segments()) {
			this.segments.put(segment.first(), segment);
			this.unsettled += segment.unsettled();
			this.unsettledBytes += segment.unsettledBytes();
			this.bytes += segment.bytes();
		}
		this.empty = found.empty();
	}

	/** The number of the next record. */
	public long nextNumber() {
		return this.nextNumber;
	}

	/**
	 * Begins a batch: opens a segment if there is none, and notes the settled records.
	 */
	public void begin() throws IOException {
		if (this.uncommitted) {
			rollBack();
		}
		this.uncommitted = true;
		SegmentWriter open = this.writer;
		if (open != null && open.size() >= this.segmentBytes) {
			end(open);
			open = null;
		}
		synchronized (this) {
			this.noting = this.unnoted;
			this.unnoted = new NumberRanges();
		}
		if (open == null) {
			beginSegment();
		}
		else if (!this.noting.isEmpty()) {
			open.note(this.noting.encode());
		}
	}

	private void end(SegmentWriter full) throws IOException {
		full.end();
		full.commit(this.force);
		synchronized (this) {
			grow(full);
		}
		this.writer = null;
		this.active = null;
		full.close();
	}

	private void beginSegment() throws IOException {
		SegmentHeader header = new SegmentHeader(this.random.nextLong(), this.nextNumber, this.session);
		QueueSegment segment = new QueueSegment(this.directory.resolve(QueueSegment.name(header)), header);
		byte[] before;
		synchronized (this) {
			before = this.settled.encode();
		}
		FileChannel channel = this.disk.open(segment.file(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
		try {
			SegmentWriter begun = SegmentWriter.begin(channel, header, this.buffer);
			begun.note(before);
			begun.commit(false);
			if (this.force) {
				this.disk.forceDirectory(this.directory);
			}
			this.writer = begun;
			this.active = segment;
			synchronized (this) {
				this.segments.put(segment.first(), segment);
				this.bytes += segment.bytes();
				grow(begun);
			}
		}
		catch (IOException ex) {
			channel.close();
			this.disk.delete(segment.file());
			throw ex;
		}
	}

	/** Appends a record with a body of these parts and the next number. */
	public void append(byte[]... parts) throws IOException {
		SegmentWriter open = this.writer;
		QueueSegment segment = this.active;
		if (open == null || segment == null || !this.uncommitted) {
			throw new IllegalStateException("No batch has begun");
		}
		segment.place(this.nextNumber, open.position());
		open.append(parts);
		this.nextNumber++;
	}

	/** Commits the batch. */
	public void commit() throws IOException {
		SegmentWriter open = this.writer;
		if (open == null) {
			throw new IllegalStateException("No batch has begun");
		}
		open.commit(this.force);
		this.uncommitted = false;
		this.noting = new NumberRanges();
		synchronized (this) {
			grow(open);
		}
	}

	@GuardedBy("this")
	private void grow(SegmentWriter open) {
		QueueSegment segment = this.active;
		if (segment != null) {
			long records = this.nextNumber - segment.end();
			long more = open.size() - segment.bytes();
			this.bytes += more;
			segment.reaches(this.nextNumber, this.nextNumber, open.size());
			if (records > 0) {
				segment.added(records, more);
				this.unsettled += records;
				this.unsettledBytes += more;
			}
			this.committed = this.nextNumber;
		}
	}

	/**
	 * Rolls back a batch that could not be committed. If that fails, the next
	 * {@link #begin} tries again, and another opening may find the records.
	 */
	public void rollBack() throws IOException {
		synchronized (this) {
			this.unnoted.addAll(this.noting);
			this.nextNumber = this.committed;
		}
		this.noting = new NumberRanges();
		SegmentWriter open = this.writer;
		QueueSegment segment = this.active;
		if (open != null && segment != null) {
			segment.rolledBack(this.nextNumber);
			open.rollBack();
		}
		this.uncommitted = false;
	}

	/** Whether records are settled that are not in a note yet. */
	public synchronized boolean hasUnnoted() {
		return !this.unnoted.isEmpty();
	}

	/**
	 * Deletes segments whose records are all settled. Deletes the active segment only if
	 * it is more than half full or the disk needs the room.
	 * @param room whether the disk needs the room
	 */
	public void deleteSettled(boolean room) throws IOException {
		List<Path> toDelete = new ArrayList<>();
		if (this.active != null && !this.uncommitted) {
			toDelete.addAll(this.empty);
			this.empty = List.of();
		}
		boolean all;
		synchronized (this) {
			Map.Entry<Long, QueueSegment> first = this.segments.firstEntry();
			while (first != null && first.getValue().unsettled() == 0 && deletable(first.getValue(), room)) {
				QueueSegment segment = first.getValue();
				toDelete.add(segment.file());
				this.segments.remove(first.getKey());
				this.bytes -= segment.bytes();
				first = this.segments.firstEntry();
			}
			all = this.segments.isEmpty();
			if (all) {
				toDelete.addAll(0, this.empty);
				this.empty = List.of();
			}
		}
		SegmentWriter open = this.writer;
		QueueSegment last = this.active;
		if (open != null && last != null && toDelete.contains(last.file())) {
			this.writer = null;
			this.active = null;
			open.close();
		}
		for (Path file : toDelete) {
			if (this.force && all && toDelete.size() > 1 && file.equals(toDelete.getLast())) {
				// The last file notes that the others are settled, until they are durably
				// deleted.
				this.disk.forceDirectory(this.directory);
			}
			this.disk.delete(file);
		}
		if (this.force && !toDelete.isEmpty()) {
			this.disk.forceDirectory(this.directory);
		}
	}

	private boolean deletable(QueueSegment segment, boolean room) {
		return segment != this.active || room || segment.bytes() > this.segmentBytes / 2;
	}

	/** Settles a record. Returns false if it is settled already or does not exist. */
	public synchronized boolean settle(long number) {
		QueueSegment segment = segmentOf(number);
		if (segment == null) {
			return false;
		}
		settle(segment, number, number + 1);
		return true;
	}

	@GuardedBy("this")
	private void settle(QueueSegment segment, long from, long to) {
		long count = to - from - this.settled.count(from, to);
		this.settled.add(from, to);
		this.unnoted.add(from, to);
		this.unsettled -= count;
		this.unsettledBytes -= segment.unsettledBytes();
		segment.settled(count);
		this.unsettledBytes += segment.unsettledBytes();
	}

	/**
	 * The first committed record at or after a number that is not settled; -1 if there is
	 * none.
	 */
	public synchronized long firstUnsettled(long from) {
		long number = this.settled.firstMissing(Math.max(0, from));
		return (number < this.committed) ? number : -1;
	}

	/** The first unsettled record; if there is none, the number of the next record. */
	public synchronized long firstUnsettled() {
		return Math.min(this.settled.firstMissing(0), this.committed);
	}

	/** The segment of a record; null if the record is settled or does not exist. */
	synchronized @Nullable QueueSegment segmentOf(long number) {
		Map.Entry<Long, QueueSegment> segment = this.segments.floorEntry(number);
		return (segment != null && number < Math.min(segment.getValue().end(), this.committed)
				&& !this.settled.contains(number)) ? segment.getValue() : null;
	}

	synchronized long bytes(QueueSegment segment) {
		return segment.bytes();
	}

	/** The session of the opening that wrote a record; 0 if there is none. */
	public synchronized long session(long number) {
		Map.Entry<Long, QueueSegment> segment = this.segments.floorEntry(number);
		return (segment != null) ? segment.getValue().header().session() : 0;
	}

	/**
	 * Settles records that can no longer be read, and counts those that were promised.
	 */
	synchronized void lost(QueueSegment segment, long from, long to) {
		long end = Math.min(to, segment.end());
		long promised = Math.max(from, Math.min(end, segment.promised()));
		long count = promised - from - this.settled.count(from, promised);
		if (count > 0) {
			this.damaged += count;
			logger.error("{} is damaged: {} messages with numbers from {} to {} are lost", segment.file(), count, from,
					promised - 1);
		}
		if (end > promised) {
			logger.warn("{} has lost messages {} to {}, which were not confirmed to their sender", segment.file(),
					promised, end - 1);
		}
		settle(segment, from, end);
	}

	/** Creates a reader, for one thread. */
	public QueueReader reader() {
		return new QueueReader(this, this.disk);
	}

	/** Records that are not settled. */
	public synchronized long unsettled() {
		return this.unsettled;
	}

	/**
	 * Bytes of the unsettled records. In a segment with settled records, each counts as
	 * the average.
	 */
	public synchronized long unsettledBytes() {
		return this.unsettledBytes;
	}

	/** Bytes of the files. */
	public synchronized long bytes() {
		return this.bytes;
	}

	/** Promised records that were found damaged since the queue was opened. */
	public synchronized long damaged() {
		return this.damaged;
	}

	/**
	 * Ends the active segment, so that the next opening need not read it, or deletes it
	 * if all records are settled.
	 */
	@Override
	public void close() throws IOException {
		try {
			if (this.uncommitted) {
				rollBack();
			}
			if (hasUnnoted() && unsettled() > 0) {
				begin();
				commit();
			}
			deleteSettled(true);
			SegmentWriter open = this.writer;
			if (open != null) {
				end(open);
			}
		}
		finally {
			SegmentWriter open = this.writer;
			if (open != null) {
				open.close();
			}
		}
	}

}
