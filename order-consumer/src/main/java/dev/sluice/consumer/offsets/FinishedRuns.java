package dev.sluice.consumer.offsets;

import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

import org.jspecify.annotations.Nullable;

/**
 * What has finished above a committed offset, as it stands in the commit's metadata: the
 * lengths of the runs of unfinished and finished offsets in turn, from the committed one
 * on, in base 36. Whoever reads the partition next does not deliver those again. An
 * offset that is not told of is delivered again, so leaving some out is never wrong.
 * Immutable.
 */
public final class FinishedRuns {

	public static final FinishedRuns NONE = new FinishedRuns(0, new TreeMap<>());

	/** Brokers refuse more than 4,096 bytes unless told otherwise. */
	private static final int LONGEST_TEXT = 4_000;

	private static final String VERSION = "finished-1:";

	private static final int RADIX = 36;

	private final long committed;

	/** First offset to first offset behind. */
	private final NavigableMap<Long, Long> runs;

	private FinishedRuns(long committed, NavigableMap<Long, Long> runs) {
		this.committed = committed;
		this.runs = runs;
	}

	/**
	 * Reads what a commit says.
	 * @param committed its offset
	 * @param metadata its metadata; anybody else's says nothing
	 */
	public static FinishedRuns parse(long committed, @Nullable String metadata) {
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
		return new FinishedRuns(committed, runs);
	}

	/** Whether they hold for a partition that is read from an offset on. */
	boolean holdFrom(long offset) {
		// Below it, the committed offset was gone and the partition is another.
		return offset >= this.committed;
	}

	public boolean contain(long offset) {
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

	/** Goes through those at and above an offset, in ascending order. */
	void from(long offset, Text into) {
		this.runs.forEach((first, behind) -> {
			if (behind > offset) {
				into.add(Math.max(first, offset), behind);
			}
		});
	}

	/** Runs on their way into a commit's metadata; those that do not fit are left out. */
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
		 * Adds a run above all before.
		 * @param first its first offset
		 * @param behind the first offset behind it
		 */
		void add(long first, long behind) {
			if (first >= behind || this.full) {
				return;
			}
			String run = "%s%s,%s".formatted(this.text.isEmpty() ? VERSION : ",",
					Long.toString(first - this.end, RADIX), Long.toString(behind - first, RADIX));
			this.full = this.text.length() + run.length() > LONGEST_TEXT;
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
