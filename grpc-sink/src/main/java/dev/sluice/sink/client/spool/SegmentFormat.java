package dev.sluice.sink.client.spool;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a segment, which is an append-only file of records. Numbers are
 * big-endian.
 * <p>
 * Each record has {@value #HEADER_BYTES} bytes before its body: a mark (4), the body's
 * length (4), a number (8), the CRC-32C of the body (4), and the CRC-32C of the salt, the
 * record's position in the file and the four fields before (4). So a damaged body does
 * not hide where the next record begins; a search after a damaged header reads each byte
 * once, whatever the bodies contain; and a block that the disk wrote to the wrong place
 * has no valid records there. Numbers count up by one across all segments.
 * <p>
 * The mark is a record's {@link Kind}. Every kind but {@link Kind#RECORD} implies that
 * all records before it were promised to their sender when it was written. So a hole
 * before one of them is damage, and any other hole is the rest of the last batch before a
 * crash.
 * <p>
 * The file's name has a random salt, so neither a payload nor a block of a deleted file
 * can look like a record.
 */
final class SegmentFormat {

	/** Bytes of a record before its body. */
	static final int HEADER_BYTES = 24;

	/** The mark of a record, with its kind in the last byte. */
	static final int MARK = 0xA57E5E00;

	/** The kind of a record. */
	enum Kind {

		/** A message after another one of the same batch. */
		RECORD,

		/** The first message of a batch. */
		BATCH,

		/**
		 * Numbers of settled messages, before a batch or at the end of an opening. It has
		 * the number of the next message.
		 */
		SETTLED;

		private static final Kind[] KINDS = values();

		int mark() {
			return MARK | (ordinal() + 1);
		}

		/** The kind of a mark whose first three bytes are right. */
		static Kind of(int mark) {
			return KINDS[(mark & 0xFF) - 1];
		}

		static boolean is(int mark) {
			return mark > MARK && mark <= MARK + KINDS.length;
		}

	}

	private SegmentFormat() {
	}

	/**
	 * The checksum of a record's header.
	 * @param salt of the segment
	 * @param position where the record begins in the file
	 */
	static int crc(long salt, long position, int mark, int length, long number, int bodyCrc) {
		CRC32C crc = new CRC32C();
		crc.update(ByteBuffer.allocate(36)
			.putLong(salt)
			.putLong(position)
			.putInt(mark)
			.putInt(length)
			.putLong(number)
			.putInt(bodyCrc)
			.flip());
		return (int) crc.getValue();
	}

}
