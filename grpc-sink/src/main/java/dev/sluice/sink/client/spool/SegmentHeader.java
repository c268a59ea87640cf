package dev.sluice.sink.client.spool;

import java.nio.ByteBuffer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

import org.jspecify.annotations.Nullable;

/**
 * The header of a segment.
 *
 * @param salt random number of the file, which is part of each checksum
 * @param firstNumber number of the segment's first record
 * @param session random number of the opening that created the segment
 */
record SegmentHeader(long salt, long firstNumber, long session) {

	/** Length of a header. */
	public static final int BYTES = 36;

	private static final Pattern NAME = Pattern.compile("(\\d{19})-(\\p{XDigit}{16})-(\\p{XDigit}{16})");

	private static final int HEX = 16;

	/** "SLUICE", and the version. */
	private static final long FORMAT = 0x534C554943450003L;

	/** The header as part of the file's name, in case the file loses its first block. */
	public String name() {
		return "%019d-%016x-%016x".formatted(this.firstNumber, this.salt, this.session);
	}

	/** Parses a {@link #name}; null if it is not one. */
	public static @Nullable SegmentHeader named(String name) {
		Matcher matcher = NAME.matcher(name);
		return matcher.matches() ? new SegmentHeader(Long.parseUnsignedLong(matcher.group(2), HEX),
				Long.parseLong(matcher.group(1)), Long.parseUnsignedLong(matcher.group(3), HEX)) : null;
	}

	ByteBuffer encode() {
		ByteBuffer header = ByteBuffer.allocate(BYTES)
			.putLong(FORMAT)
			.putLong(this.salt)
			.putLong(this.firstNumber)
			.putLong(this.session);
		CRC32C crc = new CRC32C();
		crc.update(header.duplicate().flip());
		return header.putInt((int) crc.getValue()).flip();
	}

	/** Decodes a header; null if the bytes are not one. */
	static @Nullable SegmentHeader decode(ByteBuffer bytes) {
		int at = bytes.position();
		SegmentHeader header = new SegmentHeader(bytes.getLong(at + 8), bytes.getLong(at + 16), bytes.getLong(at + 24));
		return bytes.equals(header.encode()) ? header : null;
	}

}
