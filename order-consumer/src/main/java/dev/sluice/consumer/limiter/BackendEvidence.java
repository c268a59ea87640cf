package dev.sluice.consumer.limiter;

import org.jspecify.annotations.Nullable;

/**
 * Decides whether the backend was healthy while an attempt failed, by the orders that it
 * saved at that time. It keeps the current run only.
 * <p>
 * A run is a chain of saves. Each begins after the previous one has ended, and at most
 * the gap later, so the backend was healthy at least once between two successive ends.
 * Saves that overlap the last one of the chain prove nothing new and are ignored. A
 * failed attempt counts if one run began before it, did not break during it, and has a
 * save that began after it. An outage that lasts longer than two links of the chain (a
 * gap and the time of an answer each) breaks the run, and no failure in it counts.
 * <p>
 * A run also ends when half of the latest attempts fail, and none begins before that is
 * over: a backend that is overloaded, or fails at random, saves one order and not the
 * next, whichever they are.
 */
public final class BackendEvidence {

	/** The share of failures is that of about this many attempts. */
	private static final int LATEST = 32;

	private static final double HALF = 0.5;

	private final long gapNanos;

	/** The share of failures, a moving average. */
	private double failing;

	private @Nullable Run run;

	/**
	 * @param gapNanos the longest pause between two saves of a run
	 */
	BackendEvidence(long gapNanos) {
		this.gapNanos = gapNanos;
	}

	/** An attempt saved its order. */
	synchronized void saved(long beganNanos, long endedNanos) {
		this.failing -= this.failing / LATEST;
		Run current = this.run;
		if (this.failing >= HALF) {
			this.run = null;
		}
		else if (current == null || beganNanos - current.endedNanos > this.gapNanos) {
			this.run = new Run(endedNanos);
		}
		else if (beganNanos - current.endedNanos >= 0) {
			current.lastBeganNanos = beganNanos;
			current.endedNanos = endedNanos;
		}
	}

	/**
	 * An attempt failed.
	 * @return the failure, which says later whether it counts; null if it never counts
	 */
	synchronized @Nullable Failure failed(long beganNanos, long endedNanos) {
		this.failing += (1 - this.failing) / LATEST;
		if (this.failing >= HALF) {
			this.run = null;
		}
		return rejected(beganNanos, endedNanos);
	}

	/**
	 * The backend refused an order. However many it refuses, it means them.
	 * @return as {@link #failed}
	 */
	synchronized @Nullable Failure rejected(long beganNanos, long endedNanos) {
		Run current = this.run;
		return (current != null && beganNanos - current.startNanos >= 0) ? new Failure(current, endedNanos) : null;
	}

	private static final class Run {

		private final long startNanos;

		private volatile long lastBeganNanos;

		private long endedNanos;

		Run(long startNanos) {
			this.startNanos = startNanos;
			this.lastBeganNanos = startNanos;
			this.endedNanos = startNanos;
		}

	}

	/** A failed attempt of one order. */
	public static final class Failure {

		private final Run run;

		private final long endedNanos;

		private Failure(Run run, long endedNanos) {
			this.run = run;
			this.endedNanos = endedNanos;
		}

		/**
		 * Whether the backend is known to have been healthy before, during and after it.
		 */
		boolean counts() {
			return this.run.lastBeganNanos - this.endedNanos >= 0;
		}

	}

}
