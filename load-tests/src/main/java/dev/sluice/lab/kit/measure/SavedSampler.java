package dev.sluice.lab.kit.measure;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import org.jspecify.annotations.Nullable;

/**
 * Asks the backend four times a second how many orders it has, until it is closed. The
 * counts are for one thread to read after that.
 */
public final class SavedSampler implements AutoCloseable {

	/** Stands for a count that is not known. */
	public static final long UNKNOWN = -1;

	private static final long INTERVAL_MILLIS = 250;

	/** By second: the last count received in it, or {@link #UNKNOWN}. */
	private final List<Long> counts = new ArrayList<>();

	private volatile @Nullable String failure;

	private final Thread thread;

	/**
	 * Starts to ask.
	 * @param count asks the backend, with a deadline; {@link #UNKNOWN} if there is no
	 * answer
	 * @param startNanos the beginning of the load, by {@link System#nanoTime}
	 */
	public SavedSampler(LongSupplier count, long startNanos) {
		this.thread = Thread.ofVirtual().name("saved-sampler").start(() -> sample(count, startNanos));
	}

	/**
	 * Why asking failed for the first time; null if it never did.
	 */
	public @Nullable String failure() {
		return this.failure;
	}

	private long count(LongSupplier count) {
		try {
			return count.getAsLong();
		}
		catch (RuntimeException | Error ex) {
			this.failure = (this.failure != null) ? this.failure : ex.toString();
			return UNKNOWN;
		}
	}

	private void sample(LongSupplier count, long startNanos) {
		try {
			while (true) {
				long saved = count(count);
				int second = (int) TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - startNanos);
				while (this.counts.size() <= second) {
					this.counts.add(UNKNOWN);
				}
				if (saved != UNKNOWN) {
					this.counts.set(second, saved);
				}
				Thread.sleep(INTERVAL_MILLIS);
			}
		}
		catch (InterruptedException _) {
			// Closed.
		}
	}

	@Override
	public void close() {
		this.thread.interrupt();
		boolean interrupted = false;
		while (this.thread.isAlive()) {
			try {
				this.thread.join();
			}
			catch (InterruptedException _) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/** Orders saved in each second; null where the backend did not answer. */
	public List<@Nullable Integer> perSecond() {
		return perSecond(this.counts);
	}

	/**
	 * Orders saved while the backend did not answer count in the second in which it
	 * answered again.
	 */
	public static List<@Nullable Integer> perSecond(List<Long> counts) {
		List<@Nullable Integer> saved = new ArrayList<>();
		long previous = 0;
		for (long count : counts) {
			if (count == UNKNOWN) {
				saved.add(null);
			}
			else {
				saved.add(Math.toIntExact(count - previous));
				previous = count;
			}
		}
		return saved;
	}

}
