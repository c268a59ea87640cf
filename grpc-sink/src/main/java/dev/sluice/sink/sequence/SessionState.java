package dev.sluice.sink.sequence;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.CodedOutputStream;
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
		byte[] encoded = new byte[MAX_ENCODED_BYTES];
		CodedOutputStream out = CodedOutputStream.newInstance(encoded);
		try {
			out.write(FORMAT);
			out.writeUInt64NoTag(this.stored.ranges().size());
			long at = 0;
			for (Map.Entry<Long, Long> range : this.stored.ranges().entrySet()) {
				out.writeUInt64NoTag(range.getKey() - at);
				out.writeUInt64NoTag(range.getValue() - range.getKey());
				at = range.getValue();
			}
			BitSet bits = new BitSet(CHECKSUMS);
			ByteBuffer sums = ByteBuffer.allocate(CHECKSUMS * Integer.BYTES);
			for (int i = 0; i < CHECKSUMS; i++) {
				long sequence = at - CHECKSUMS + i;
				if (sequence > 0 && this.checked[slot(sequence)] == sequence) {
					bits.set(i);
					sums.putInt(this.checksums[slot(sequence)]);
				}
			}
			out.writeRawBytes(Arrays.copyOf(bits.toByteArray(), CHECKSUMS / Byte.SIZE));
			out.write(sums.array(), 0, sums.position());
		}
		catch (IOException ex) {
			throw new IllegalStateException("A session's state is larger than it can be", ex);
		}
		return Arrays.copyOf(encoded, out.getTotalBytesWritten());
	}

	/**
	 * Decodes what {@link #encode} returned.
	 * @throws IllegalArgumentException if the bytes are not an encoded state
	 */
	public static SessionState decode(byte[] encoded) {
		SessionState state = new SessionState();
		CodedInputStream in = CodedInputStream.newInstance(encoded);
		try {
			byte format = in.readRawByte();
			if (format != FORMAT) {
				throw new IllegalArgumentException("Unknown format of a session's state: " + format);
			}
			long ranges = in.readUInt64();
			long at = 0;
			for (long i = 0; i < ranges; i++) {
				long from = at + in.readUInt64();
				at = from + in.readUInt64();
				state.stored.add(from, at);
			}
			BitSet bits = BitSet.valueOf(in.readRawBytes(CHECKSUMS / Byte.SIZE));
			for (int i = bits.nextSetBit(0); i >= 0; i = bits.nextSetBit(i + 1)) {
				long sequence = at - CHECKSUMS + i;
				state.checked[slot(sequence)] = sequence;
				// Big-endian.
				state.checksums[slot(sequence)] = Integer.reverseBytes(in.readFixed32());
			}
			return state;
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("A session's state is damaged", ex);
		}
	}

}
