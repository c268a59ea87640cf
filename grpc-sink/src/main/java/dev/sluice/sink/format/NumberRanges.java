package dev.sluice.sink.format;

import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * A set of numbers, stored as ranges: some 100 bytes of memory for each gap. Not
 * thread-safe.
 */
public final class NumberRanges {

	private static final int RANGE_BYTES = 16;

	/** First number of each range to the number after its last. */
	private final TreeMap<Long, Long> ranges = new TreeMap<>();

	/** Adds the numbers from {@code from} (inclusive) to {@code to} (exclusive). */
	public void add(long from, long to) {
		if (from >= to) {
			return;
		}
		long begin = from;
		long end = to;
		Map.Entry<Long, Long> touching = this.ranges.floorEntry(end);
		while (touching != null && touching.getValue() >= begin) {
			begin = Math.min(begin, touching.getKey());
			end = Math.max(end, touching.getValue());
			this.ranges.remove(touching.getKey());
			touching = this.ranges.floorEntry(end);
		}
		this.ranges.put(begin, end);
	}

	public void addAll(NumberRanges others) {
		others.ranges.forEach(this::add);
	}

	public boolean contains(long number) {
		return firstMissing(number) != number;
	}

	/** The first number at or after this one that is not in the set. */
	public long firstMissing(long from) {
		Map.Entry<Long, Long> range = this.ranges.floorEntry(from);
		return (range != null) ? Math.max(from, range.getValue()) : from;
	}

	/** The first number at or after this one that is in the set; else the maximum. */
	public long firstPresent(long from) {
		Long next = contains(from) ? Long.valueOf(from) : this.ranges.ceilingKey(from);
		return (next != null) ? next : Long.MAX_VALUE;
	}

	/** First number of each range to the number after its last. */
	public Map<Long, Long> ranges() {
		return Collections.unmodifiableMap(this.ranges);
	}

	/** How many numbers of a range are in the set. */
	public long count(long from, long to) {
		long count = 0;
		Map.Entry<Long, Long> range = this.ranges.lowerEntry(to);
		while (range != null && range.getValue() > from) {
			count += Math.min(to, range.getValue()) - Math.max(from, range.getKey());
			range = this.ranges.lowerEntry(range.getKey());
		}
		return count;
	}

	/** The number after the last one; 0 if the set is empty. */
	public long end() {
		return this.ranges.isEmpty() ? 0 : this.ranges.lastEntry().getValue();
	}

	public boolean isEmpty() {
		return this.ranges.isEmpty();
	}

	/** Encodes each range as two numbers of 8 bytes. */
	public byte[] encode() {
		ByteBuffer bytes = ByteBuffer.allocate(RANGE_BYTES * this.ranges.size());
		this.ranges.forEach((from, to) -> bytes.putLong(from).putLong(to));
		return bytes.array();
	}

	/** Adds the numbers that {@link #encode} returned. */
	public void addEncoded(byte[] encoded) {
		ByteBuffer bytes = ByteBuffer.wrap(encoded);
		while (bytes.remaining() >= RANGE_BYTES) {
			add(bytes.getLong(), bytes.getLong());
		}
	}

}
