package dev.sluice.sink.client.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

import dev.sluice.sink.client.spool.SegmentFormat.Kind;

/**
 * Appends records to a segment in batches. A batch is complete once {@link #commit} has
 * returned. If a call fails, {@link #rollBack} truncates the file to the last commit. Not
 * thread-safe.
 */
final class SegmentWriter implements Closeable {

	private final FileChannel channel;

	private final ByteBuffer buffer;

	private final long salt;

	private long committedBytes;

	private long committedNumber;

	/** Where the next record will begin. */
	private long position;

	private long nextNumber;

	private boolean batchBegun;

	private SegmentWriter(FileChannel channel, long salt, long nextNumber, ByteBuffer buffer) throws IOException {
		this.channel = channel;
		this.salt = salt;
		this.committedBytes = channel.size();
		this.position = this.committedBytes;
		this.committedNumber = nextNumber;
		this.nextNumber = nextNumber;
		this.buffer = buffer.clear();
		channel.position(this.committedBytes);
	}

	/**
	 * Begins a segment. Its header is durable after the first forced commit.
	 * @param channel channel of a file, which is emptied
	 * @param header header of the segment
	 * @param buffer buffer for appended records, used by this writer only
	 * @throws IOException if the header cannot be written
	 */
	public static SegmentWriter begin(FileChannel channel, SegmentHeader header, ByteBuffer buffer) throws IOException {
		channel.truncate(0);
		ByteBuffer bytes = header.encode();
		while (bytes.hasRemaining()) {
			channel.write(bytes);
		}
		return new SegmentWriter(channel, header.salt(), header.firstNumber(), buffer);
	}

	/** Committed bytes of the file. */
	public long size() {
		return this.committedBytes;
	}

	/** The position of the next record. */
	public long position() {
		return this.position;
	}

	/** The number of the next record. */
	public long nextNumber() {
		return this.nextNumber;
	}

	/** Appends a record with a body of these parts. */
	public void append(byte[]... parts) throws IOException {
		put(this.batchBegun ? Kind.RECORD : Kind.BATCH, parts);
		this.batchBegun = true;
		this.nextNumber++;
	}

	/** Appends a record without a number of its own, before a batch. */
	public void note(byte[] body) throws IOException {
		if (this.batchBegun) {
			throw new IllegalStateException("A note must come before a batch");
		}
		put(Kind.NOTE, body);
	}

	/** Appends the end of the segment. */
	public void end() throws IOException {
		if (this.batchBegun) {
			throw new IllegalStateException("Commit the batch before the end");
		}
		put(Kind.END);
	}

	private void put(Kind kind, byte[]... parts) throws IOException {
		int length = 0;
		CRC32C body = new CRC32C();
		for (byte[] part : parts) {
			length += part.length;
			body.update(part);
		}
		if (this.buffer.remaining() < SegmentFormat.RECORD_HEADER_BYTES) {
			flush();
		}
		int bodyCrc = (int) body.getValue();
		this.buffer.putInt(kind.mark())
			.putInt(length)
			.putLong(this.nextNumber)
			.putInt(bodyCrc)
			.putInt(SegmentFormat.crc(this.salt, this.position, kind.mark(), length, this.nextNumber, bodyCrc));
		for (byte[] part : parts) {
			copy(part);
		}
		this.position += SegmentFormat.RECORD_HEADER_BYTES + length;
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
			this.channel.write(this.buffer);
		}
		this.buffer.clear();
	}

	/**
	 * Commits the appended records.
	 * @param force whether to force them to the disk, so that they survive a loss of
	 * power; otherwise they are written to the operating system and survive this process
	 */
	public void commit(boolean force) throws IOException {
		flush();
		if (force) {
			this.channel.force(false);
		}
		this.committedBytes = this.position;
		this.committedNumber = this.nextNumber;
		this.batchBegun = false;
	}

	/**
	 * Truncates the file to the last commit. After a failed force the state of its pages
	 * is unknown: they are discarded, and the records that replace them are written and
	 * forced again.
	 */
	public void rollBack() throws IOException {
		this.buffer.clear();
		this.channel.truncate(this.committedBytes);
		this.channel.force(true);
		this.channel.position(this.committedBytes);
		this.position = this.committedBytes;
		this.nextNumber = this.committedNumber;
		this.batchBegun = false;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
