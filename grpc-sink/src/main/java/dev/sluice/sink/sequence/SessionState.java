package dev.sluice.sink.sequence;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Map;

import dev.sluice.sink.format.NumberRanges;

/**
 * Which messages of a session are stored: ranges of sequences, and the checksums of the
 * last {@value #CHECKSUMS} sequences. A repeat is recognized however old it is; its
 * content is compared if its checksum is still known. Not thread-safe.
 * <p>
 * Bounded by {@value #RANGES} ranges, so by {@value #RANGES} gaps. A message that would
 * add a range has to wait for messages before it; the oldest one that may come never has
 * to wait. Gaps below {@link #settledBelow} are closed to make room. Memory: 7 KB.
 */
public final class SessionState {

	/** The maximum length of what {@link #encode} returns. */
	public static final int MAX_ENCODED_BYTES = 3_020;

	static final int RANGES = 48;

	static final int CHECKSUMS = 512;

	private static final byte FORMAT = 1;

	/** Seven bits in each byte of a number. */
	private static final int VARINT_BITS = 7;

	private static final int VARINT_MORE = 1 << VARINT_BITS;

	private final NumberRanges stored = new NumberRanges();

	/** The sequence whose checksum is at the same index; 0 = none. */
	private final long[] checked = new long[CHECKSUMS];

	private final int[] checksums = new int[CHECKSUMS];

	private long firstUnsettled;

	/** The result of {@link #offer}. */
	public enum Verdict {

		/** It was not stored; from now on it counts as stored. */
		NEW,

		/** Stored. */
		REPEAT,

		/** Another message with its sequence is stored. */
		DIFFERENT,

		/** Not stored, and it must not be stored before older messages are. */
		TOO_MANY_GAPS

	}

	/**
	 * Decides whether a message is to be stored.
	 * @param sequence number in the session, from 1
	 * @param checksum checksum of its content
	 */
	public Verdict offer(long sequence, int checksum) {
		int slot = slot(sequence);
		if (this.stored.contains(sequence)) {
			return (this.checked[slot] == sequence && this.checksums[slot] != checksum) ? Verdict.DIFFERENT
					: Verdict.REPEAT;
		}
		if (this.stored.ranges().size() >= RANGES && !extendsRange(sequence)) {
			closeLowestGap(this.firstUnsettled);
			if (sequence < this.firstUnsettled || (this.stored.ranges().size() >= RANGES && !extendsRange(sequence))) {
				return Verdict.TOO_MANY_GAPS;
			}
		}
		store(sequence, checksum);
		return Verdict.NEW;
	}

	private void store(long sequence, int checksum) {
		int slot = slot(sequence);
		this.stored.add(sequence, sequence + 1);
		if (sequence >= this.checked[slot]) {
			this.checked[slot] = sequence;
			this.checksums[slot] = checksum;
		}
	}

	private boolean extendsRange(long sequence) {
		return this.stored.contains(sequence - 1) || this.stored.contains(sequence + 1);
	}

	/** Only as far as the client has settled, so its oldest message always has room. */
	private void closeLowestGap(long below) {
		long lowest = this.stored.firstMissing(this.stored.firstPresent(0));
		this.stored.add(lowest, Math.min(below, this.stored.firstPresent(lowest)));
	}

	/**
	 * Notes that no new message below this sequence will come. On the first call this is
	 * the first sequence of the session.
	 */
	public void settledBelow(long sequence) {
		if (!this.stored.contains(0)) {
			this.stored.add(0, Math.min(this.stored.firstPresent(0), Math.max(1, sequence)));
		}
		this.firstUnsettled = Math.max(this.firstUnsettled, sequence);
	}

	/** The sequence after the highest stored one. */
	public long end() {
		return this.stored.end();
	}

	private static int slot(long sequence) {
		return (int) (sequence & (CHECKSUMS - 1));
	}

	/**
	 * Encodes the state in at most {@value #MAX_ENCODED_BYTES} bytes: the format; as
	 * varints, the number of ranges and for each its distance from the one before and its
	 * length; a bit for each of the last {@value #CHECKSUMS} sequences; and the checksums
	 * of those whose bit is set.
	 */
	public byte[] encode() {
		ByteBuffer bytes = ByteBuffer.allocate(MAX_ENCODED_BYTES).put(FORMAT);
		putVarint(bytes, this.stored.ranges().size());
		long at = 0;
		for (Map.Entry<Long, Long> range : this.stored.ranges().entrySet()) {
			putVarint(bytes, range.getKey() - at);
			putVarint(bytes, range.getValue() - range.getKey());
			at = range.getValue();
		}
		int bits = bytes.position();
		bytes.position(bits + CHECKSUMS / Byte.SIZE);
		long first = at - CHECKSUMS;
		for (int i = 0; i < CHECKSUMS; i++) {
			long sequence = first + i;
			if (sequence > 0 && this.checked[slot(sequence)] == sequence) {
				int index = bits + i / Byte.SIZE;
				bytes.put(index, (byte) (bytes.get(index) | 1 << i % Byte.SIZE));
				bytes.putInt(this.checksums[slot(sequence)]);
			}
		}
		byte[] encoded = new byte[bytes.position()];
		bytes.flip().get(encoded);
		return encoded;
	}

	/**
	 * Decodes what {@link #encode} returned.
	 * @throws IllegalArgumentException if the bytes are not an encoded state
	 */
	public static SessionState decode(byte[] encoded) {
		SessionState state = new SessionState();
		ByteBuffer bytes = ByteBuffer.wrap(encoded);
		try {
			if (bytes.get() != FORMAT) {
				throw new IllegalArgumentException("Unknown format of a session's state: " + encoded[0]);
			}
			long ranges = varint(bytes);
			long at = 0;
			for (long i = 0; i < ranges; i++) {
				long from = at + varint(bytes);
				at = from + varint(bytes);
				state.stored.add(from, at);
			}
			byte[] bits = new byte[CHECKSUMS / Byte.SIZE];
			bytes.get(bits);
			long first = at - CHECKSUMS;
			for (int i = 0; i < CHECKSUMS; i++) {
				if ((bits[i / Byte.SIZE] & 1 << i % Byte.SIZE) != 0) {
					int slot = slot(first + i);
					state.checked[slot] = first + i;
					state.checksums[slot] = bytes.getInt();
				}
			}
			return state;
		}
		catch (BufferUnderflowException ex) {
			throw new IllegalArgumentException("A session's state is truncated", ex);
		}
	}

	private static void putVarint(ByteBuffer bytes, long value) {
		long rest = value;
		while (Long.compareUnsigned(rest, VARINT_MORE) >= 0) {
			bytes.put((byte) (rest | VARINT_MORE));
			rest >>>= VARINT_BITS;
		}
		bytes.put((byte) rest);
	}

	private static long varint(ByteBuffer bytes) {
		long value = 0;
		for (int shift = 0; shift < Long.SIZE; shift += VARINT_BITS) {
			byte next = bytes.get();
			value |= (long) (next & (VARINT_MORE - 1)) << shift;
			if (next >= 0) {
				return value;
			}
		}
		throw new IllegalArgumentException("A session's state has a varint without an end");
	}

}
