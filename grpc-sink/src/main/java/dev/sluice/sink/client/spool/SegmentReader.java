package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.Arrays;
import java.util.zip.CRC32C;

import dev.sluice.sink.client.spool.SegmentFormat.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads a segment and skips damaged and unreadable parts. Not thread-safe. It uses
 * {@value #WINDOW_BYTES} bytes of memory, whatever the size of the records, plus the
 * bodies that are read. It reads up to the end that the file had when the reader was
 * created, or up to a {@linkplain #limit later limit}.
 */
final class SegmentReader {

	private static final int WINDOW_BYTES = 256 * 1024;

	/** Bytes read at a time when only headers are read. */
	private static final int SKIM_BYTES = 4 * 1024;

	/** The unit in which a disk fails to read. */
	private static final int BLOCK_BYTES = 4 * 1024;

	private static final byte FIRST_OF_MARK = (byte) (SegmentFormat.MARK >> 24);

	private final FileChannel channel;

	private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);

	private final long salt;

	private long size;

	private long windowFrom;

	private long position;

	/**
	 * A record with an intact header.
	 *
	 * @param kind kind of the record
	 * @param number number of the record, or of the next one if it has none
	 * @param body position of its body in the file
	 * @param length length of its body in bytes
	 * @param bodyCrc expected CRC-32C of its body
	 */
	record Whole(Kind kind, long number, long body, int length, int bodyCrc) {

		/** Where it begins. */
		long from() {
			return this.body - SegmentFormat.HEADER_BYTES;
		}

		/** Where it ends. */
		long end() {
			return this.body + this.length;
		}

		/** Whether it has a number of its own. */
		boolean numbered() {
			return this.kind != Kind.SETTLED;
		}

	}

	/**
	 * Creates a reader.
	 * @param channel channel of the file
	 * @param salt the segment's
	 */
	SegmentReader(FileChannel channel, long salt) throws IOException {
		this.channel = channel;
		this.salt = salt;
		this.size = channel.size();
	}

	/** The end of the part of the file that is read, in bytes. */
	long size() {
		return this.size;
	}

	/**
	 * Moves the end, and forgets bytes read ahead: the file may have been appended to.
	 */
	void limit(long bytes) {
		this.size = bytes;
		this.window.limit(0);
	}

	/** Continues at a position where a record begins or used to begin. */
	void seek(long position) {
		this.position = position;
	}

	/** Where the last record ended, or where the reader was told to continue. */
	long position() {
		return this.position;
	}

	/**
	 * Skips to the next record with an intact header, without reading its body, which is
	 * complete but may be damaged. Null if none follows.
	 */
	@Nullable Whole skim() throws IOException {
		long from = this.position;
		Whole next = (from + SegmentFormat.HEADER_BYTES <= this.size)
				? header(view(from, SegmentFormat.HEADER_BYTES, SKIM_BYTES), from) : null;
		if (next == null) {
			next = search(from + 1);
		}
		if (next != null) {
			this.position = next.end();
		}
		return next;
	}

	/** Reads each byte once, and a header only where a mark may begin. */
	private @Nullable Whole search(long from) throws IOException {
		long at = from;
		while (at + SegmentFormat.HEADER_BYTES <= this.size) {
			int length = (int) Math.min(WINDOW_BYTES, this.size - at);
			ByteBuffer bytes = view(at, length, WINDOW_BYTES);
			int last = length - SegmentFormat.HEADER_BYTES;
			int begin = bytes.position();
			for (int i = 0; i <= last; i++) {
				Whole found = (bytes.get(begin + i) == FIRST_OF_MARK) ? header(bytes.position(begin + i), at + i)
						: null;
				if (found != null) {
					return found;
				}
			}
			at += last + 1;
		}
		return null;
	}

	/** Null if the bytes are not a record's header, or if the record is incomplete. */
	private @Nullable Whole header(ByteBuffer bytes, long at) {
		int from = bytes.position();
		int mark = bytes.getInt(from);
		if (!Kind.is(mark)) {
			return null;
		}
		int length = bytes.getInt(from + 4);
		long number = bytes.getLong(from + 8);
		int bodyCrc = bytes.getInt(from + 16);
		if (bytes.getInt(from + 20) != SegmentFormat.crc(this.salt, at, mark, length, number, bodyCrc)) {
			return null;
		}
		Whole whole = new Whole(Kind.of(mark), number, at + SegmentFormat.HEADER_BYTES, length, bodyCrc);
		return (whole.end() <= this.size) ? whole : null;
	}

	/** Reads the body of a record; null if it is damaged. */
	byte @Nullable [] body(Whole whole) throws IOException {
		byte[] body = new byte[whole.length()];
		int read = 0;
		while (read < body.length) {
			int part = Math.min(body.length - read, WINDOW_BYTES);
			view(whole.body() + read, part, WINDOW_BYTES).get(body, read, part);
			read += part;
		}
		CRC32C crc = new CRC32C();
		crc.update(body);
		return ((int) crc.getValue() == whole.bodyCrc()) ? body : null;
	}

	/**
	 * Returns bytes of the file, valid until the next call.
	 * @param from their position
	 * @param length their number
	 * @param ahead number of bytes to read if they are not in the window
	 */
	private ByteBuffer view(long from, int length, int ahead) throws IOException {
		if (from < this.windowFrom || from + length > this.windowFrom + this.window.limit()) {
			this.windowFrom = from;
			fill((int) Math.clamp(this.channel.size() - from, 0, Math.max(length, ahead)));
		}
		int offset = (int) (from - this.windowFrom);
		if (offset + length > this.window.limit()) {
			throw new IOException("The file was truncated while it was read");
		}
		return this.window.duplicate().position(offset).limit(offset + length);
	}

	/**
	 * Reads bytes into the window. A block that cannot be read counts as zeros, like any
	 * other damage, unless nothing else of the file can be read: then the disk may be
	 * gone for a while.
	 */
	private void fill(int length) throws IOException {
		try {
			read(0, length);
		}
		catch (ClosedChannelException ex) {
			throw ex;
		}
		catch (IOException ex) {
			boolean intact = this.size <= BLOCK_BYTES || canRead(0) || canRead(this.size - 1);
			int to = 0;
			for (int from = 0; from < length; from = to) {
				to = (int) Math.min(length, from + BLOCK_BYTES - (this.windowFrom + from) % BLOCK_BYTES);
				intact |= readOrClear(from, to);
			}
			if (!intact) {
				throw ex;
			}
			this.window.limit(length).position(length);
		}
		this.window.flip();
	}

	private boolean readOrClear(int from, int to) {
		try {
			read(from, to);
			return true;
		}
		catch (IOException _) {
			Arrays.fill(this.window.array(), from, to, (byte) 0);
			return false;
		}
	}

	private void read(int from, int to) throws IOException {
		this.window.clear().position(from).limit(to);
		int read = 0;
		while (read >= 0 && this.window.hasRemaining()) {
			read = this.channel.read(this.window, this.windowFrom + this.window.position());
		}
	}

	private boolean canRead(long position) {
		try {
			return this.channel.read(ByteBuffer.allocate(1), position) >= 0;
		}
		catch (IOException _) {
			return false;
		}
	}

}
