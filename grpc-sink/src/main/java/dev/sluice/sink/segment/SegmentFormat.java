package dev.sluice.sink.segment;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The layout of a segment: a file that only grows. Numbers are big-endian.
 * <p>
 * A {@linkplain SegmentHeader header} of {@value SegmentHeader#BYTES} bytes comes first:
 * the format and its version (8 bytes), the salt (8), the number of the first record (8),
 * the session (8), and the CRC-32C of these (4). Each record has
 * {@value #RECORD_HEADER_BYTES} bytes before its body: a mark (4), the body's length (4),
 * a number (8), the CRC-32C of the body (4), and the CRC-32C of the salt and of all these
 * (4) and of where the record begins in the file. So a damaged body does not hide where
 * the next record begins, a search behind a damaged header reads each byte once, whatever
 * the bodies contain, and a block that a disk has written to the wrong place has no
 * records there. Numbers count up by one, over all segments.
 * <p>
 * The mark is a record's {@link Kind}. All but {@link Kind#RECORD} say that everything
 * before them was promised to its sender when they were written. So a hole with one of
 * them behind it is damage, and any other hole is what a crash leaves of the last batch.
 * <p>
 * The salt is drawn for each file: no payload can look like a record, and no block of a
 * deleted file either.
 */
public final class SegmentFormat {

	/** Bytes of a record before its body. */
	public static final int RECORD_HEADER_BYTES = 24;

	/** The mark of a record, with its kind in the last byte. */
	static final int MARK = 0xA57E5E00;

	/** What a record is. */
	public enum Kind {

		/** A numbered record behind another one of the same batch. */
		RECORD,

		/** The first numbered record of a batch. */
		BATCH,

		/** What the writer keeps for itself, before a batch. Has the next number, too. */
		NOTE,

		/** The segment ends, and the next one begins with this number. No body. */
		END;

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
