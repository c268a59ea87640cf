package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.function.LongSupplier;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.limiter.BackendEvidence.Failure;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Judges the backend by the attempts of all orders. {@link BackendEvidence} decides which
 * failures count against their order. No method blocks.
 * <p>
 * A circuit breaker opens when nothing is saved any more: {@value #MIN_FAILURES} attempts
 * or more have failed since the latest save, over a time in which any order would have
 * been saved. Then one order at a time is tried, with pauses in proportion to how long
 * the outage lasts, so that its end is noticed soon by few calls. The first save closes
 * it. As long as anything is saved, however little, {@link AdaptiveLimit} alone decides
 * how many orders are delivered at once.
 */
public final class BackendHealth {

	private static final Logger logger = LoggerFactory.getLogger(BackendHealth.class);

	/** Fewer may be those of a few orders that the backend cannot take. */
	private static final int MIN_FAILURES = 10;

	/**
	 * So many failures in a row are few at a backend that fails 90 % at random: one of
	 * 200 rows that begin.
	 */
	private static final int UNPACED = 50;

	/** Pauses between trials are this part of the time for which nothing was saved. */
	private static final int PAUSES = 40;

	/** The time that a save is expected to take before there was one. */
	private static final Duration FIRST_SAVE = Duration.ofMillis(50);

	private final BackendEvidence evidence;

	private final long openAfterNanos;

	private final long openForNanos;

	private final LongSupplier nanoTime;

	private Runnable onChange = () -> {
	};

	private volatile boolean open;

	/** How often the circuit breaker has opened. */
	private volatile int outages;

	/** Failed and rejected attempts of any orders since the latest save. */
	@GuardedBy("this")
	private int unsaved;

	/** When the first of them began, or the latest save ended if that was later. */
	@GuardedBy("this")
	private long unsavedSinceNanos;

	@GuardedBy("this")
	private @Nullable Long savedNanos;

	/** How long the latest save took. */
	@GuardedBy("this")
	private long saveNanos = FIRST_SAVE.toNanos();

	/** When the next attempt may begin while nothing is saved. */
	@GuardedBy("this")
	private long nextNanos;

	/**
	 * @param nanoTime as {@link System#nanoTime}
	 */
	public BackendHealth(BackendProperties.Circuit properties, Duration evidenceGap, LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
		this.evidence = new BackendEvidence(evidenceGap.toNanos());
		this.openAfterNanos = properties.openAfter().toNanos();
		this.openForNanos = properties.openFor().toNanos();
	}

	/** Sets the listener of the circuit breaker. It must not block. */
	synchronized void onChange(Runnable listener) {
		this.onChange = listener;
	}

	/**
	 * Reserves the next attempt. While nothing is saved, attempts begin one by one.
	 * @param limit of concurrent attempts
	 * @return how long to wait with it, unless the circuit breaker changes meanwhile
	 */
	public synchronized Duration reserve(int limit) {
		long nowNanos = this.nanoTime.getAsLong();
		long lastedNanos = nowNanos - this.unsavedSinceNanos;
		if (!this.open && this.unsaved < Math.max(limit, UNPACED)) {
			return Duration.ZERO;
		}
		long pauseNanos = this.open ? Math.min(lastedNanos / PAUSES, this.openForNanos) : this.saveNanos / limit;
		long atNanos = (this.nextNanos - nowNanos > 0) ? this.nextNanos : nowNanos;
		this.nextNanos = atNanos + pauseNanos;
		return Duration.ofNanos(atNanos - nowNanos);
	}

	/**
	 * Records an attempt.
	 * @return its failure if it may count against the order, else null
	 */
	public synchronized @Nullable Failure attempted(Attempt attempt, long beganNanos) {
		long endedNanos = this.nanoTime.getAsLong();
		return switch (attempt) {
			case Throttled _ -> {
				this.nextNanos = endedNanos;
				yield null;
			}
			case Saved _ -> {
				this.evidence.saved(beganNanos, endedNanos);
				this.saveNanos = endedNanos - beganNanos;
				this.savedNanos = endedNanos;
				answered(endedNanos);
				yield null;
			}
			case Conflict _ -> {
				answered(endedNanos);
				yield null;
			}
			case Rejected(FailureReason why) -> {
				Failure failure = this.evidence.rejected(beganNanos, endedNanos);
				unsaved(beganNanos, endedNanos, why);
				// The next order may be one that the backend does not reject.
				this.nextNanos = endedNanos;
				yield isHealthy() ? failure : null;
			}
			case RetryLater(FailureReason why, Reach reach) -> {
				Failure failure = this.evidence.failed(beganNanos, endedNanos);
				unsaved(beganNanos, endedNanos, why);
				yield (isHealthy() && reach != Reach.NOT_REACHED) ? failure : null;
			}
		};
	}

	@GuardedBy("this")
	private void answered(long nowNanos) {
		if (this.open) {
			logger.info("The circuit breaker closed: the backend saves again, after {} s",
					Duration.ofNanos(nowNanos - this.unsavedSinceNanos).toSeconds());
			change(false);
		}
		this.unsaved = 0;
	}

	@GuardedBy("this")
	private void unsaved(long beganNanos, long nowNanos, FailureReason why) {
		if (this.unsaved++ == 0) {
			Long saved = this.savedNanos;
			this.unsavedSinceNanos = (saved != null && saved - beganNanos > 0) ? saved : beganNanos;
		}
		long lastedNanos = nowNanos - this.unsavedSinceNanos;
		if (!this.open && this.unsaved >= MIN_FAILURES
				&& lastedNanos >= Math.max(this.openAfterNanos, this.saveNanos)) {
			logger.warn(
					"The circuit breaker opened: nothing was saved for {} s, and one order at a time is tried until"
							+ " the backend saves again. The last failure: {}",
					Duration.ofNanos(lastedNanos).toSeconds(), why.detail());
			this.outages++;
			change(true);
		}
	}

	@GuardedBy("this")
	private void change(boolean open) {
		this.open = open;
		this.onChange.run();
	}

	/** Whether the circuit breaker is closed. */
	public boolean isHealthy() {
		return !this.open;
	}

	/** How often the circuit breaker has opened. */
	public int outages() {
		return this.outages;
	}

	/** How long nothing was saved although orders were tried. */
	synchronized Duration unsavedFor() {
		return (this.unsaved > 0) ? Duration.ofNanos(this.nanoTime.getAsLong() - this.unsavedSinceNanos)
				: Duration.ZERO;
	}

	/** Creates the retry budget of an order. Called before its first attempt. */
	public RetryBudget budget(int maxAttempts) {
		return new RetryBudget(maxAttempts, this::outages, this::unsaved);
	}

	/**
	 * Failed and rejected attempts of any orders since the latest save; more than any
	 * order has had while the circuit breaker is open.
	 */
	private synchronized int unsaved() {
		return this.open ? Integer.MAX_VALUE : this.unsaved;
	}

}
