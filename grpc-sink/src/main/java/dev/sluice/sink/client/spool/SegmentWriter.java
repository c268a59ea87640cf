package dev.sluice.sink.client.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.zip.CRC32C;

import dev.sluice.sink.client.spool.SegmentFormat.Kind;
import dev.sluice.sink.client.spool.Spool.Entry;
import dev.sluice.sink.format.NumberRanges;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes a queue's records in batches, each completely or not at all, and deletes
 * segments that are no longer needed. Each segment begins with all numbers that are
 * settled, and each batch with those settled since. So the newest segment lists them all,
 * and if it is lost, records are sent again but none is lost with it.
 * <p>
 * It never appends to a file of an earlier opening, so an incomplete batch that a crash
 * left at the end of a segment needs no repair. Confined to one thread.
 */
final class SegmentWriter implements Closeable {

	private static final Logger logger = LoggerFactory.getLogger(SegmentWriter.class);

	private static final int BUFFER_BYTES = 1024 * 1024;

	/** A disk with less usable space is full. */
	private static final long LITTLE_BYTES = 1024 * 1024;

	private final SegmentQueue queue;

	private final Path directory;

	/** Random at each opening, so that a restored directory never reuses an id. */
	private final long session;

	private final long segmentBytes;

	private final boolean force;

	private final Disk disk;

	private final SecureRandom random = new SecureRandom();

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

	/** The segment being written, and its file; null if the next batch begins one. */
	private @Nullable Segment segment;

	private @Nullable FileChannel channel;

	/** Where the next record will begin. */
	private long position;

	private long nextNumber;

	/** Whether the file may end with a part of a batch. */
	private boolean torn;

	/** Whether the last write failed. */
	private boolean failing;

	/**
	 * Creates a writer. It writes nothing before the first batch.
	 * @param directory directory of the queue
	 * @param segmentBytes length at which a segment is full
	 * @param force whether a batch is forced to the disk, so that it survives a loss of
	 * power; otherwise it is written to the operating system and survives this process
	 */
	SegmentWriter(SegmentQueue queue, Path directory, long segmentBytes, boolean force, Disk disk) {
		this.queue = queue;
		this.directory = directory;
		this.session = this.random.nextLong();
		this.segmentBytes = segmentBytes;
		this.force = force;
		this.disk = disk;
		this.nextNumber = queue.end();
	}

	/** The session of the entries that it writes. Any thread may call it. */
	long session() {
		return this.session;
	}

	/**
	 * Writes a batch: the numbers settled since the last one, and messages.
	 * @return the messages' entries
	 * @throws SpoolFullException if the disk is full: nothing is written
	 * @throws SpoolFailedException if the batch cannot be written. If it cannot be
	 * removed either, the next write tries again; until then, another opening may find it
	 */
	List<Entry> write(List<Message> messages) {
		try {
			if (this.torn) {
				rollBack();
			}
			List<Entry> entries = new ArrayList<>(messages.size());
			long now = System.currentTimeMillis();
			for (Message message : messages) {
				entries.add(Entry.of(message, this.nextNumber + entries.size(), this.session, now));
			}
			write(this.queue.takeUnnoted(), entries);
			if (this.failing) {
				this.failing = false;
				logger.info("The spool {} can be written again", this.directory);
			}
			return entries;
		}
		catch (IOException ex) {
			throw failed(ex);
		}
	}

	private void write(NumberRanges settled, List<Entry> entries) throws IOException {
		this.torn = true;
		try {
			append(settled, entries);
			this.torn = false;
		}
		catch (IOException ex) {
			this.queue.giveBack(settled);
			try {
				rollBack();
			}
			catch (IOException failed) {
				ex.addSuppressed(failed);
			}
			throw ex;
		}
	}

	private RuntimeException failed(IOException cause) {
		if (!this.failing) {
			this.failing = true;
			logger.error("The spool {} cannot be written; sending fails until it can: {}", this.directory,
					cause.toString());
		}
		if (this.torn) {
			return new SpoolFailedException(
					"The messages could not be written, but may still be delivered after a restart: " + cause, cause);
		}
		return isFull(cause)
				? new SpoolFullException("The disk of the spool %s is full; send again when there is room (%s)"
					.formatted(this.directory, cause.getMessage()), cause)
				: new SpoolFailedException("The messages could not be written and will not be sent: " + cause, cause);
	}

	/** The message is the only hint at the reason, and it may be in any language. */
	private boolean isFull(IOException cause) {
		String words = String.valueOf(cause.getMessage());
		if (words.contains("No space left") || words.contains("quota")) {
			return true;
		}
		try {
			return Files.getFileStore(this.directory).getUsableSpace() < LITTLE_BYTES;
		}
		catch (IOException _) {
			return false;
		}
	}

	private void append(NumberRanges settled, List<Entry> entries) throws IOException {
		if (this.segment != null && (this.segment.bytes() >= this.segmentBytes || isRemoved(this.segment))) {
			closeSegment();
		}
		Segment open = this.segment;
		if (open == null) {
			open = begin();
		}
		else if (!settled.isEmpty()) {
			put(Kind.SETTLED, settled.encode());
		}
		Kind kind = Kind.BATCH;
		for (Entry entry : entries) {
			put(kind, entry.encode());
			this.nextNumber++;
			kind = Kind.RECORD;
		}
		commit(open, entries);
	}

	/** A message may not be promised that is in a file without a name. */
	private static boolean isRemoved(Segment open) {
		boolean removed = !Files.exists(open.file);
		if (removed) {
			logger.error("{} is damaged: it was removed while it was written, and its messages may be lost", open.file);
		}
		return removed;
	}

	private Segment begin() throws IOException {
		Segment begun = Segment.create(this.directory, this.nextNumber, this.random.nextLong(), this.session);
		FileChannel file = this.disk.open(begun.file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
		try {
			this.segment = begun;
			this.channel = file;
			this.position = 0;
			put(Kind.SETTLED, this.queue.encodeSettled());
			flush();
			if (this.force) {
				this.disk.forceDirectory(this.directory);
			}
		}
		catch (IOException ex) {
			closeSegment();
			this.disk.delete(begun.file);
			throw ex;
		}
		this.queue.begun(begun, this.position);
		return begun;
	}

	private void put(Kind kind, byte[]... parts) throws IOException {
		long salt = Objects.requireNonNull(this.segment).salt;
		int length = 0;
		CRC32C body = new CRC32C();
		for (byte[] part : parts) {
			length += part.length;
			body.update(part);
		}
		if (this.buffer.remaining() < SegmentFormat.HEADER_BYTES) {
			flush();
		}
		int bodyCrc = (int) body.getValue();
		this.buffer.putInt(kind.mark())
			.putInt(length)
			.putLong(this.nextNumber)
			.putInt(bodyCrc)
			.putInt(SegmentFormat.crc(salt, this.position, kind.mark(), length, this.nextNumber, bodyCrc));
		for (byte[] part : parts) {
			copy(part);
		}
		this.position += SegmentFormat.HEADER_BYTES + length;
	}

	private void copy(byte[] part) throws IOException {
		int from = 0;
		while (from < part.length) {
			if (!this.buffer.hasRemaining()) {
				flush();
			}
			int length = Math.min(this.buffer.remaining(), part.length - from);
			this.buffer.put(part, from, length);
			from += length;
		}
	}

	private void flush() throws IOException {
		this.buffer.flip();
		while (this.buffer.hasRemaining()) {
			channel().write(this.buffer);
		}
		this.buffer.clear();
	}

	private void commit(Segment open, List<Entry> entries) throws IOException {
		flush();
		if (this.force) {
			channel().force(false);
		}
		this.queue.committed(open, entries, this.position);
	}

	/**
	 * Truncates the file to the last commit. After a failed force the state of its pages
	 * is unknown: they are discarded, and the records that replace them are written and
	 * forced again.
	 */
	private void rollBack() throws IOException {
		this.buffer.clear();
		Segment open = this.segment;
		if (open != null) {
			this.nextNumber = open.end();
			this.position = open.bytes();
			channel().truncate(this.position);
			channel().force(true);
			channel().position(this.position);
		}
		this.torn = false;
	}

	/**
	 * Deletes segments whose records are all settled, from the oldest one on. Deletes the
	 * segment being written only if it is more than half full or the last write failed,
	 * because the disk may need the room.
	 */
	void deleteSettled() throws IOException {
		deleteSettled(this.failing);
	}

	private void deleteSettled(boolean room) throws IOException {
		Segment open = this.segment;
		boolean keepsOpen = open != null && !room && open.bytes() <= this.segmentBytes / 2;
		List<Segment> settled = this.queue.removeSettled(keepsOpen ? open : null);
		boolean all = this.queue.isEmpty();
		List<Path> files = new ArrayList<>();
		if (all || open != null && !this.torn) {
			// The open segment lists what those of earlier openings list.
			files.addAll(this.queue.takeEmpty());
		}
		settled.forEach((segment) -> files.add(segment.file));
		if (open != null && settled.contains(open)) {
			closeSegment();
		}
		for (Path file : files) {
			if (this.force && all && files.size() > 1 && file.equals(files.getLast())) {
				// The last file lists the others' records as settled, until the others
				// are durably deleted.
				this.disk.forceDirectory(this.directory);
			}
			this.disk.delete(file);
		}
		if (this.force && !files.isEmpty()) {
			this.disk.forceDirectory(this.directory);
		}
	}

	private void closeSegment() throws IOException {
		FileChannel file = channel();
		this.segment = null;
		this.channel = null;
		file.close();
	}

	private FileChannel channel() {
		return Objects.requireNonNull(this.channel, "No segment has begun");
	}

	/**
	 * Closes the open segment, or deletes it if all records are settled.
	 */
	@Override
	public void close() throws IOException {
		try {
			if (this.torn) {
				rollBack();
			}
			if (this.queue.hasUnnoted() && this.queue.unsettled() > 0) {
				write(List.of());
			}
			deleteSettled(true);
			if (this.segment != null) {
				// A later opening knows that all messages before it were promised.
				put(Kind.SETTLED);
				commit(this.segment, List.of());
			}
		}
		finally {
			if (this.channel != null) {
				closeSegment();
			}
		}
	}

}
