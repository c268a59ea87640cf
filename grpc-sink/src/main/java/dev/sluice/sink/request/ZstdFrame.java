package dev.sluice.sink.request;

/** The layout of a zstd frame (RFC 8878, section 3.1.1). */
final class ZstdFrame {

	private static final int MAGIC = 0xFD2FB528;

	private static final int BLOCK_HEADER_BYTES = 3;

	private static final int CHECKSUM_BYTES = 4;

	private static final int RLE = 1;

	private static final int RESERVED = 3;

	private ZstdFrame() {
	}

	/**
	 * Whether the bytes are exactly one complete frame. A skippable frame does not count.
	 * The content of the blocks is not checked.
	 */
	static boolean isOne(byte[] bytes) {
		if (bytes.length <= Integer.BYTES || littleEndian(bytes, 0, Integer.BYTES) != MAGIC) {
			return false;
		}
		int descriptor = bytes[Integer.BYTES] & 0xFF;
		long position = Integer.BYTES + headerBytes(descriptor);
		boolean last = false;
		while (!last) {
			if (position + BLOCK_HEADER_BYTES > bytes.length) {
				return false;
			}
			int block = littleEndian(bytes, (int) position, BLOCK_HEADER_BYTES);
			last = (block & 1) != 0;
			int type = (block >>> 1) & 3;
			if (type == RESERVED) {
				return false;
			}
			position += BLOCK_HEADER_BYTES + ((type == RLE) ? 1 : block >>> 3);
		}
		boolean checksum = (descriptor & 4) != 0;
		return position + (checksum ? CHECKSUM_BYTES : 0) == bytes.length;
	}

	/** The descriptor itself, the window, the dictionary's id, the content's size. */
	private static int headerBytes(int descriptor) {
		boolean singleSegment = (descriptor & 0x20) != 0;
		int window = singleSegment ? 0 : 1;
		int dictionary = switch (descriptor & 3) {
			case 0 -> 0;
			case 1 -> 1;
			case 2 -> 2;
			default -> 4;
		};
		int content = switch (descriptor >>> 6) {
			case 0 -> singleSegment ? 1 : 0;
			case 1 -> 2;
			case 2 -> 4;
			default -> 8;
		};
		return 1 + window + dictionary + content;
	}

	private static int littleEndian(byte[] bytes, int from, int length) {
		int value = 0;
		for (int i = length - 1; i >= 0; i--) {
			value = value << 8 | bytes[from + i] & 0xFF;
		}
		return value;
	}

}
