package dev.sluice.gateway.core.backend;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.jspecify.annotations.Nullable;

/**
 * Limits the calls to the backend at one time to what it takes, without a queue.
 * <p>
 * The limit begins at its maximum. An answer that the backend is busy shows that it takes
 * no more than the other calls in flight, so that is the new limit; but one answer lowers
 * it by at most a fifth, because it may not be about the load. Each answer about an order
 * raises it, by one per round of calls, so an overloaded backend gets one call too many
 * in each round. After {@value #CALM_ROUNDS} rounds without a busy answer it doubles per
 * round. Failures do not change it.
 */
public final class BackendLimit {

	private static final double SHRINK = 0.8;

	private static final int CALM_ROUNDS = 2;

	private final int max;

	@GuardedBy("this")
	private double limit;

	@GuardedBy("this")
	private int inFlight;

	/** Answers since the latest one that the backend is busy. */
	@GuardedBy("this")
	private long calm;

	/**
	 * @param max maximum number of calls at one time
	 */
	BackendLimit(int max) {
		this.max = max;
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
		return new Call();
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

	private synchronized void end(@Nullable BackendResult result) {
		this.inFlight--;
		switch (result) {
			case BackendResult.Busy _ -> {
				this.limit = Math.max(1, Math.max(this.inFlight, this.limit * SHRINK));
				this.calm = 0;
			}
			case BackendResult.Saved _, BackendResult.NotFound _, BackendResult.Rejected _,
					BackendResult.Conflict _ -> {
				boolean rising = ++this.calm > CALM_ROUNDS * this.limit;
				this.limit = Math.min(this.max, this.limit + (rising ? 1 : 1 / this.limit));
			}
			case null, default -> {
				// Says nothing about the load.
			}
		}
	}

	/** A call in flight. */
	public final class Call implements AutoCloseable {

		private volatile @Nullable BackendResult result;

		private Call() {
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
			end(this.result);
		}

	}

}
