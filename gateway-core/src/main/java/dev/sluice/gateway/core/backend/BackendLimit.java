package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls to the backend at one time to what it takes, without a queue.
 * <p>
 * The limit begins at its maximum. An answer that the backend is busy shows that it takes
 * no more than the other calls in flight, so that is the new limit. An order that times
 * out shows that it holds more than it answers within the time limit, so half of what it
 * answered meanwhile is. But one call lowers the limit by at most a fifth, because it may
 * not be about the load. Other failures do not change it.
 * <p>
 * Each answer about an order raises it, by one per round of calls, so an overloaded
 * backend gets one call too many in each round. After {@value #CALM_ROUNDS} rounds
 * without a busy answer it doubles per round; after a time-out, which tells late, only
 * while answers come within a quarter of the time limit.
 */
public final class BackendLimit {

	private static final double SHRINK = 0.8;

	private static final int CALM_ROUNDS = 2;

	private final int max;

	private final long timeoutNanos;

	private final LongSupplier nanoTime;

	@GuardedBy("this")
	private double limit;

	@GuardedBy("this")
	private int inFlight;

	/** Answers about orders so far. */
	@GuardedBy("this")
	private long answered;

	/** How many there were when the limit was lowered. */
	@GuardedBy("this")
	private long answeredBefore;

	/** Whether it was lowered by a time-out. */
	@GuardedBy("this")
	private boolean late;

	/**
	 * @param max maximum number of calls at one time
	 * @param timeout time limit of an order; a look-up may have a shorter one
	 * @param nanoTime the time, in nanoseconds
	 */
	BackendLimit(int max, Duration timeout, LongSupplier nanoTime) {
		this.max = max;
		this.timeoutNanos = timeout.toNanos();
		this.nanoTime = nanoTime;
		this.limit = max;
	}

	/**
	 * Begins a call.
	 * @return the call, to be closed when it ends; null if there are too many
	 */
	public synchronized @Nullable Call begin() {
		if (isFull()) {
			return null;
		}
		this.inFlight++;
		return new Call(this.answered, this.nanoTime.getAsLong());
	}

	/** Whether no further call may begin. */
	public synchronized boolean isFull() {
		return this.inFlight >= (int) this.limit;
	}

	/** Calls in flight. */
	public synchronized int inFlight() {
		return this.inFlight;
	}

	/** How many calls may be in flight now. */
	public synchronized int current() {
		return (int) this.limit;
	}

	private synchronized void end(Call call, @Nullable BackendResult result) {
		this.inFlight--;
		switch (result) {
			case BackendResult.Busy _ -> lower(this.inFlight, false);
			case BackendResult.TimedOut(Duration after) when after.toNanos() >= this.timeoutNanos ->
				lower((this.answered - call.answeredBefore) / 2.0, true);
			case BackendResult.Saved _, BackendResult.NotFound _, BackendResult.Rejected _,
					BackendResult.Conflict _ -> {
				this.answered++;
				boolean slow = this.nanoTime.getAsLong() - call.startNanos > this.timeoutNanos / 4;
				boolean rising = this.answered - this.answeredBefore > CALM_ROUNDS * this.limit && !(this.late && slow);
				this.limit = Math.min(this.max, this.limit + (rising ? 1 : 1 / this.limit));
			}
			case null, default -> {
				// Says nothing about the load.
			}
		}
	}

	private synchronized void lower(double to, boolean late) {
		this.limit = Math.max(1, Math.clamp(to, this.limit * SHRINK, this.limit));
		this.answeredBefore = this.answered;
		this.late = late;
	}

	/** A call in flight. */
	public final class Call implements AutoCloseable {

		private final long answeredBefore;

		private final long startNanos;

		private volatile @Nullable BackendResult result;

		private Call(long answeredBefore, long startNanos) {
			this.answeredBefore = answeredBefore;
			this.startNanos = startNanos;
		}

		/**
		 * Notes the result.
		 * @return the same
		 */
		public BackendResult ended(BackendResult result) {
			this.result = result;
			return result;
		}

		/** Gives the place back. */
		@Override
		public void close() {
			end(this, this.result);
		}

	}

}
