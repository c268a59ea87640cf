package dev.sluice.consumer.offsets;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * The finished offsets above a committed one, as they are stored in the commit's
 * metadata: the lengths of alternating runs of unfinished and finished offsets, from the
 * committed offset on, in base 36. The next reader of the partition does not deliver
 * these again. It repeats an offset that is missing here, so a truncated list is correct.
 * Immutable.
 */
public final class FinishedOffsets {

	public static final FinishedOffsets NONE = new FinishedOffsets(new TreeMap<>());

	/** By default, brokers refuse more than 4,096 bytes of metadata. */
	private static final int MAX_TEXT_LENGTH = 4_000;

	private static final String VERSION = "finished-1:";

	private static final int RADIX = 36;

	/** Maps the first offset of a run to the first offset after it. */
	private final NavigableMap<Long, Long> runs;

	private FinishedOffsets(NavigableMap<Long, Long> runs) {
		this.runs = runs;
	}

	/**
	 * Reads what a commit says.
	 * @param committed its offset
	 * @param metadata its metadata; text in another format means no finished offsets
	 */
	public static FinishedOffsets parse(long committed, @Nullable String metadata) {
		if (metadata == null || !metadata.startsWith(VERSION)) {
			return NONE;
		}
		NavigableMap<Long, Long> runs = new TreeMap<>();
		long offset = committed;
		boolean finished = false;
		try {
			for (String length : metadata.substring(VERSION.length()).split(",", -1)) {
				long next = Math.addExact(offset, Long.parseUnsignedLong(length, RADIX));
				if (next < offset) {
					return NONE;
				}
				// Runs that touch have nothing unfinished between them.
				if (finished && next > offset) {
					runs.put(offset, next);
				}
				offset = next;
				finished = !finished;
			}
		}
		catch (NumberFormatException | ArithmeticException ex) {
			return NONE;
		}
		return new FinishedOffsets(runs);
	}

	public boolean contains(long offset) {
		Map.Entry<Long, Long> run = this.runs.floorEntry(offset);
		return run != null && offset < run.getValue();
	}

	/** How many offsets below this one have finished. */
	public long countBelow(long offset) {
		return this.runs.entrySet()
			.stream()
			.mapToLong((run) -> Math.max(Math.min(run.getValue(), offset) - run.getKey(), 0))
			.sum();
	}

	/** Adds the runs at and above an offset to a text, in ascending order. */
	void from(long offset, Text into) {
		this.runs.forEach((first, behind) -> {
			if (behind > offset) {
				into.add(Math.max(first, offset), behind);
			}
		});
	}

	/** Writes runs as a commit's metadata. Runs that do not fit are dropped. */
	static final class Text {

		private final StringBuilder text = new StringBuilder();

		private long end;

		private boolean full;

		/**
		 * @param committed the commit's offset
		 */
		Text(long committed) {
			this.end = committed;
		}

		/**
		 * Adds a run above all previous ones.
		 * @param first its first offset
		 * @param behind the first offset after it
		 */
		void add(long first, long behind) {
			if (first >= behind || this.full) {
				return;
			}
			String run = "%s%s,%s".formatted(this.text.isEmpty() ? VERSION : ",",
					Long.toString(first - this.end, RADIX), Long.toString(behind - first, RADIX));
			this.full = this.text.length() + run.length() > MAX_TEXT_LENGTH;
			if (!this.full) {
				this.text.append(run);
				this.end = behind;
			}
		}

		@Override
		public String toString() {
			return this.text.toString();
		}

	}

}
