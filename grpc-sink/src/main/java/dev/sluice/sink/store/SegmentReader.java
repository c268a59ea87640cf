package dev.sluice.sink.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * Reads a segment from its beginning, over what is damaged. Confined to one thread. Its
 * memory is {@value #WINDOW_BYTES} bytes, whatever the records' size, beside the bodies
 * that are asked for.
 */
final class SegmentReader {

	private static final int WINDOW_BYTES = 256 * 1024;

	private final FileChannel channel;

	private final long size;

	private final ByteBuffer window = ByteBuffer.allocate(WINDOW_BYTES).limit(0);

	private long windowFrom;

	private final boolean headed;

	private final long salt;

	private final long firstNumber;

	private long position;

	/** What comes next in a segment. */
	sealed interface Next {

	}

	/**
	 * A record that is whole.
	 *
	 * @param number of the record
	 * @param batch whether all records before it had been forced
	 * @param body where its body begins
	 * @param length of its body in bytes
	 */
	record Whole(long number, boolean batch, long body, int length) implements Next {

		/** Where it ends. */
		long end() {
			return this.body + this.length;
		}

	}

	/**
	 * Bytes that are no whole record, before one that is.
	 *
	 * @param from where they begin
	 * @param to where the next whole record begins
	 */
	record Hole(long from, long to) implements Next {
	}

	/**
	 * No whole record follows.
	 *
	 * @param from where the last one ended
	 * @param bytes that follow all the same
	 */
	record End(long from, long bytes) implements Next {
	}

	SegmentReader(FileChannel channel) throws IOException {
		this.channel = channel;
		this.size = channel.size();
		if (this.size < SegmentFormat.HEADER_BYTES) {
			this.headed = false;
			this.salt = 0;
			this.firstNumber = 0;
			return;
		}
		ByteBuffer header = view(0, SegmentFormat.HEADER_BYTES);
		this.salt = header.getLong(8);
		this.firstNumber = header.getLong(16);
		this.headed = header.equals(SegmentFormat.header(this.salt, this.firstNumber));
		this.position = SegmentFormat.HEADER_BYTES;
	}

	/** Whether the file begins as a segment does. If not, it has no records. */
	boolean headed() {
		return this.headed;
	}

	long salt() {
		return this.salt;
	}

	/** The number of the first record, whether there is one or not. */
	long firstNumber() {
		return this.firstNumber;
	}

	Next next() throws IOException {
		if (!this.headed) {
			return new End(0, this.size);
		}
		Whole here = whole(this.position);
		if (here != null) {
			this.position = here.end();
			return here;
		}
		for (long at = this.position + 1; at + SegmentFormat.RECORD_HEADER_BYTES <= this.size; at++) {
			if (whole(at) != null) {
				Hole hole = new Hole(this.position, at);
				this.position = at;
				return hole;
			}
		}
		return new End(this.position, this.size - this.position);
	}

	private @Nullable Whole whole(long at) throws IOException {
		if (at + SegmentFormat.RECORD_HEADER_BYTES > this.size) {
			return null;
		}
		ByteBuffer header = view(at, SegmentFormat.RECORD_HEADER_BYTES);
		int mark = header.getInt();
		if (mark != SegmentFormat.RECORD && mark != SegmentFormat.BATCH) {
			return null;
		}
		int length = header.getInt();
		long number = header.getLong();
		int expected = header.getInt();
		long body = at + SegmentFormat.RECORD_HEADER_BYTES;
		if (length < 0 || length > SegmentFormat.MAX_BODY_BYTES || body + length > this.size) {
			return null;
		}
		CRC32C crc = SegmentFormat.crc(this.salt, mark, length, number);
		int read = 0;
		while (read < length) {
			int part = Math.min(length - read, WINDOW_BYTES);
			crc.update(view(body + read, part));
			read += part;
		}
		return ((int) crc.getValue() == expected) ? new Whole(number, mark == SegmentFormat.BATCH, body, length) : null;
	}

	/** The beginning of a record's body, or all of it. */
	byte[] read(Whole whole, int from, int length) throws IOException {
		byte[] bytes = new byte[length];
		int read = 0;
		while (read < length) {
			int part = Math.min(length - read, WINDOW_BYTES);
			view(whole.body() + from + read, part).get(bytes, read, part);
			read += part;
		}
		return bytes;
	}

	/** Bytes of the file, until the next call. */
	private ByteBuffer view(long from, int length) throws IOException {
		if (from < this.windowFrom || from + length > this.windowFrom + this.window.limit()) {
			this.window.clear();
			this.windowFrom = from;
			int read = 0;
			while (read >= 0 && this.window.hasRemaining()) {
				read = this.channel.read(this.window, from + this.window.position());
			}
			this.window.flip();
		}
		int offset = (int) (from - this.windowFrom);
		if (offset + length > this.window.limit()) {
			throw new IOException("The file has become shorter while it was read");
		}
		return this.window.duplicate().position(offset).limit(offset + length);
	}

}
