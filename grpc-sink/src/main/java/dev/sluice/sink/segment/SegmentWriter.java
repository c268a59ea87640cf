package dev.sluice.sink.segment;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

import dev.sluice.sink.segment.SegmentFormat.Kind;

/**
 * Appends records to a segment, a batch at a time: a batch is kept once {@link #commit}
 * has returned. If one of them fails, {@link #rollBack} takes the file back to the last
 * commit. Confined to one thread.
 */
public final class SegmentWriter implements Closeable {

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
	 * Begins a segment. Its header is durable after the first commit that is forced.
	 * @param channel of a file, which becomes empty
	 * @param header of the segment
	 * @param buffer for what is appended; used by this writer alone
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

	/**
	 * Goes on behind the last record.
	 * @param channel of a segment that is whole and as durable as its records must be
	 * @param salt of the segment
	 * @param nextNumber number of the next record
	 * @param buffer for what is appended; used by this writer alone
	 * @throws IOException if its length cannot be told
	 */
	public static SegmentWriter resume(FileChannel channel, long salt, long nextNumber, ByteBuffer buffer)
			throws IOException {
		return new SegmentWriter(channel, salt, nextNumber, buffer);
	}

	/** Bytes that are committed. */
	public long size() {
		return this.committedBytes;
	}

	/** Where the next record begins. */
	public long position() {
		return this.position;
	}

	/** The number of the next record. */
	public long nextNumber() {
		return this.nextNumber;
	}

	/** Appends a record whose body has these parts. */
	public void append(byte[]... parts) throws IOException {
		put(this.batchBegun ? Kind.RECORD : Kind.BATCH, parts);
		this.batchBegun = true;
		this.nextNumber++;
	}

	/** Appends what has no number, before a batch. */
	public void note(byte[] body) throws IOException {
		if (this.batchBegun) {
			throw new IllegalStateException("A note comes before a batch");
		}
		put(Kind.NOTE, body);
	}

	/** Appends that the segment ends. */
	public void end() throws IOException {
		if (this.batchBegun) {
			throw new IllegalStateException("The end comes behind a batch");
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
	 * Keeps what was appended.
	 * @param force whether it is forced to the disk, so that it outlives a loss of power;
	 * otherwise it is written to the operating system and outlives this process
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
	 * Takes the file back to the last commit. The pages of a failed force may be lost or
	 * not: they go, and what comes in their place is written and forced anew.
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
