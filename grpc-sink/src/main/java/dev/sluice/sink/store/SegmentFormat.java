package dev.sluice.sink.store;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a segment: a file that only grows. Numbers are big-endian.
 * <p>
 * It begins with {@value #HEADER_BYTES} bytes: the format and its version (8 bytes), a
 * salt (8), the number of its first record (8), and the CRC-32C of these (4). Each record
 * has {@value #RECORD_HEADER_BYTES} bytes before its body: a mark (4), the body's length
 * (4), the record's number (8), and the CRC-32C of the salt, the mark, length, number and
 * body (4). Numbers count up by one, over all segments.
 * <p>
 * The mark {@link #BATCH} says that all records before this one had been forced to the
 * disk when it was written, {@link #RECORD} says nothing of the kind. So a hole that has
 * a batch behind it is damage, and any other is what a crash leaves of the last batch.
 * The salt is drawn for each file: no payload can look like a record, and no block of a
 * deleted file either.
 */
final class SegmentFormat {

	/** "SLUICE", and the version. */
	static final long FORMAT = 0x534C554943450001L;

	static final int HEADER_BYTES = 28;

	static final int RECORD_HEADER_BYTES = 20;

	static final int RECORD = 0xA57E5E01;

	static final int BATCH = 0xA57E5E02;

	/** More than any body has. */
	static final int MAX_BODY_BYTES = 64 * 1024 * 1024;

	private SegmentFormat() {
	}

	static ByteBuffer header(long salt, long firstNumber) {
		ByteBuffer header = ByteBuffer.allocate(HEADER_BYTES).putLong(FORMAT).putLong(salt).putLong(firstNumber);
		CRC32C crc = new CRC32C();
		crc.update(header.duplicate().flip());
		return header.putInt((int) crc.getValue()).flip();
	}

	/** The checksum of a record before its body. */
	static CRC32C crc(long salt, int mark, int length, long number) {
		CRC32C crc = new CRC32C();
		crc.update(ByteBuffer.allocate(24).putLong(salt).putInt(mark).putInt(length).putLong(number).flip());
		return crc;
	}

}
