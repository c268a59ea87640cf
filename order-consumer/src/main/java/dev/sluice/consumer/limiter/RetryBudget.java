package dev.sluice.consumer.limiter;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Counts the failed attempts that count against one order. Confined to the thread of its
 * delivery.
 * <p>
 * A failure is judged once, right before the order would be tried again. It counts if the
 * backend saved another order after it and before that moment, so two failures of one
 * outage never both count. If the circuit breaker has opened in between, that failure and
 * those of the window before do not count: they may be the start of the outage.
 */
public final class RetryBudget {

	private final int maxAttempts;

	private final long windowNanos;

	/** The times at which counted failures were judged, in nanoseconds. */
	private final Deque<Long> counted = new ArrayDeque<>();

	private final IntSupplier outages;

	private final LongSupplier nanoTime;

	private int judgedOutages;

	private long judgedNanos;

	private @Nullable Failure last;

	/**
	 * @param maxAttempts number of failures that spends the budget
	 * @param windowNanos how long before the circuit breaker opens a failure may belong
	 * to the outage
	 * @param outages how often the circuit breaker has opened so far
	 */
	RetryBudget(int maxAttempts, long windowNanos, IntSupplier outages, LongSupplier nanoTime) {
		this.maxAttempts = maxAttempts;
		this.windowNanos = windowNanos;
		this.outages = outages;
		this.nanoTime = nanoTime;
		this.judgedOutages = outages.getAsInt();
		this.judgedNanos = nanoTime.getAsLong();
	}

	/**
	 * Records a failed attempt.
	 * @param failure null if it cannot count against the order
	 */
	public void failed(@Nullable Failure failure) {
		this.last = failure;
	}

	/** Judges the last failure. Called before each retry. */
	public boolean isSpent() {
		int outages = this.outages.getAsInt();
		long nowNanos = this.nanoTime.getAsLong();
		if (outages != this.judgedOutages) {
			this.judgedOutages = outages;
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
