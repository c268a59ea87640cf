package dev.sluice.consumer.limiter;

import java.util.ArrayDeque;
import java.util.Deque;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Counts the failed attempts of one order that are the order's own. Confined to its
 * delivery.
 * <p>
 * A failure is judged once, right before the order would be tried again. It counts if the
 * backend saved another order after it and before that moment, so two failures of one
 * outage never count both. When the circuit has opened meanwhile, neither that failure
 * counts nor those of the window before: they may be how the outage was noticed.
 */
public final class RetryBudget {

	private final int maxAttempts;

	private final long windowNanos;

	/** When those that count were judged. */
	private final Deque<Long> counted = new ArrayDeque<>();

	private int outages;

	private long judgedNanos;

	private @Nullable Failure last;

	/**
	 * @param maxAttempts failures that spend it
	 * @param windowNanos how long before an outage failures may be how it was noticed
	 * @param outages how often the circuit has opened so far
	 */
	RetryBudget(int maxAttempts, long windowNanos, int outages, long nowNanos) {
		this.maxAttempts = maxAttempts;
		this.windowNanos = windowNanos;
		this.outages = outages;
		this.judgedNanos = nowNanos;
	}

	/**
	 * An attempt has failed.
	 * @param failure null if it says nothing about the order
	 */
	public void failed(@Nullable Failure failure) {
		this.last = failure;
	}

	/** Judges the last failure. To be called before each further attempt. */
	boolean isSpent(int outages, long nowNanos) {
		if (outages != this.outages) {
			this.outages = outages;
			while (!this.counted.isEmpty() && this.counted.getLast() - this.judgedNanos + this.windowNanos >= 0) {
				this.counted.removeLast();
			}
		}
		else if (this.last != null && this.last.counts()) {
			this.counted.addLast(nowNanos);
		}
		this.last = null;
		this.judgedNanos = nowNanos;
		return this.counted.size() >= this.maxAttempts;
	}

}
