package dev.sluice.sink.store;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.util.zip.CRC32C;

/**
 * Appends records to a segment, a batch at a time: what was appended is durable once
 * {@link #force} has returned. If one of them fails, {@link #rollBack} takes the file
 * back to what was forced. Confined to one thread.
 */
final class SegmentWriter implements Closeable {

	private final FileChannel channel;

	private final ByteBuffer buffer;

	private final long salt;

	/** What is forced. */
	private long forcedBytes;

	private long forcedNumber;

	private long nextNumber;

	private boolean batchBegun;

	/**
	 * Goes on behind the last record.
	 * @param channel of a segment that is whole and forced
	 * @param salt of the segment
	 * @param nextNumber number of the next record
	 * @param buffer for what is appended; used by this writer alone
	 * @throws IOException if its length cannot be told
	 */
	SegmentWriter(FileChannel channel, long salt, long nextNumber, ByteBuffer buffer) throws IOException {
		this.channel = channel;
		this.salt = salt;
		this.forcedBytes = channel.size();
		this.forcedNumber = nextNumber;
		this.nextNumber = nextNumber;
		this.buffer = buffer.clear();
		channel.position(this.forcedBytes);
	}

	/** Bytes that are forced. */
	long size() {
		return this.forcedBytes;
	}

	/** The number of the next record. */
	long nextNumber() {
		return this.nextNumber;
	}

	/** Appends a record whose body has these parts. */
	void append(byte[]... parts) throws IOException {
		int length = 0;
		for (byte[] part : parts) {
			length += part.length;
		}
		int mark = this.batchBegun ? SegmentFormat.RECORD : SegmentFormat.BATCH;
		CRC32C crc = SegmentFormat.crc(this.salt, mark, length, this.nextNumber);
		for (byte[] part : parts) {
			crc.update(part);
		}
		if (this.buffer.remaining() < SegmentFormat.RECORD_HEADER_BYTES) {
			flush();
		}
		this.buffer.putInt(mark).putInt(length).putLong(this.nextNumber).putInt((int) crc.getValue());
		for (byte[] part : parts) {
			put(part);
		}
		this.batchBegun = true;
		this.nextNumber++;
	}

	private void put(byte[] part) throws IOException {
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

	/** Makes durable what was appended. */
	void force() throws IOException {
		flush();
		this.channel.force(false);
		this.forcedBytes = this.channel.position();
		this.forcedNumber = this.nextNumber;
		this.batchBegun = false;
	}

	/**
	 * Takes the file back to what was forced last. The pages of a failed force may be
	 * lost or not: they go, and whatever comes in their place is written and forced anew.
	 */
	void rollBack() throws IOException {
		this.buffer.clear();
		this.channel.truncate(this.forcedBytes);
		this.channel.force(true);
		this.channel.position(this.forcedBytes);
		this.nextNumber = this.forcedNumber;
		this.batchBegun = false;
	}

	@Override
	public void close() throws IOException {
		this.channel.close();
	}

}
