package dev.sluice.consumer.limiter;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * The limit on concurrent deliveries, from 1 to the maximum. It finds the backend's
 * capacity as TCP finds a network's:
 * <ul>
 * <li>It starts at {@value #INITIAL} and doubles per round trip (slow start) up to the
 * maximum, and grows by one per round trip once it has shrunk. It grows only while half
 * of it is in use.</li>
 * <li>It shrinks by a fifth when the backend throttles, at most once per round trip; by
 * half in slow start.</li>
 * <li>It shrinks as much when a share of {@value #MANY} of the attempts fails, or many
 * consecutive ones, and others do not. The next attempts are a trial: if hardly any of
 * them fail, the backend was overloaded, and the smaller limit stays. Otherwise it
 * shrinks again. If three steps do not help, the failures have another cause, and the
 * limit returns to its previous value.</li>
 * <li>In an outage it is 1. After it, it starts at half of its previous value for each
 * {@value #HALF_LIFE_SECONDS} s that the outage took, and after a second without an order
 * in delivery at {@value #INITIAL}, because the backend may take less than before. It
 * doubles up to its previous value.</li>
 * </ul>
 * Not thread-safe: the {@link DeliveryLimiter} locks it.
 *
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5681#section-3.1">TCP's slow start and
 * congestion avoidance</a>
 * @see <a href="https://www.rfc-editor.org/rfc/rfc5681#section-4.1">TCP's restart of idle
 * connections</a>
 */
final class AdaptiveLimit {

	/** As in TCP (RFC 6928): an order that hangs does not hold up all others. */
	private static final int INITIAL = 10;

	/**
	 * An outage that is long compared with it may be a restart: the backend is cold. The
	 * way back takes a round trip per such time, which is short compared with the outage.
	 */
	private static final int HALF_LIFE_SECONDS = 10;

	/** The shortest retransmission timeout of TCP (RFC 6298), after which it restarts. */
	private static final Duration IDLE = Duration.ofSeconds(1);

	/** Minimum number of attempts in a window. Failures are counted per window. */
	private static final int WINDOW = 50;

	/**
	 * The share of the attempts in a window whose failure starts a trial. A backend that
	 * fails 5 % at random reaches it in 1 of 5,000 windows of 50.
	 */
	private static final double MANY = 0.2;

	/**
	 * Minimum number of consecutive failures that start a trial. At a higher limit, it is
	 * half the limit.
	 */
	private static final int MANY_IN_A_ROW = 5;

	/** Number of steps by which the limit shrinks in a trial. */
	private static final int STEPS = 3;

	/** The share of failures above which a smaller limit has not helped. */
	private static final double FEW = 0.05;

	/** Number of windows from a trial that has not helped to the next trial. */
	private static final int PAUSE = 10;

	private static final double SHRINK = 0.8;

	/**
	 * In slow start up to half of the limit may never have been in use. The other half is
	 * what the backend took.
	 */
	private static final double SHRINK_IN_SLOW_START = 0.5;

	private final int max;

	private double limit;

	/** Below this value the limit doubles per round trip. */
	private double threshold;

	private double beforeOutage;

	private boolean changed;

	/** When the limit last changed other than by growth. */
	private long changedAtNanos;

	private int attempts;

	private int failures;

	private int failuresInARow;

	/** Whether the backend has processed an order since the limit last changed. */
	private boolean processed;

	/** Number of attempts in the current window. */
	private int window = WINDOW;

	/** Windows until failures count again. */
	private int pause;

	private @Nullable Trial trial;

	/** Since when no order is in delivery; null if one is, or none ever was. */
	private @Nullable Long idleSinceNanos;

	AdaptiveLimit(int max) {
		this.max = max;
		this.limit = Math.min(INITIAL, max);
		this.threshold = max;
	}

	/**
	 * The backend throttled an attempt.
	 * @param beganNanos when the attempt began; the limit ignores one that began before
	 * it last changed
	 */
	void throttled(long beganNanos, long nowNanos) {
		if (isCurrent(beganNanos)) {
			this.trial = null;
			shrink(factor(), nowNanos);
		}
	}

	/**
	 * The backend processed an order.
	 * @param inFlight orders in delivery, including this one
	 */
	void processed(long beganNanos, int inFlight) {
		if (this.trial == null && inFlight >= this.limit / 2) {
			double growth = (this.limit < this.threshold) ? 1 : 1 / this.limit;
			this.limit = Math.min(this.max, this.limit + growth);
		}
		if (isCurrent(beganNanos)) {
			this.processed = true;
			this.failuresInARow = 0;
			count();
		}
	}

	/** The backend failed at an attempt, and there is no outage. */
	void failed(long beganNanos, long nowNanos) {
		if (!isCurrent(beganNanos)) {
			return;
		}
		this.failures++;
		this.failuresInARow++;
		Trial current = this.trial;
		if (current != null && this.failures > FEW * this.window) {
			tryLess(current, nowNanos);
		}
		else if (current == null && this.pause == 0 && isMany()) {
			this.trial = new Trial(this.limit, this.threshold, factor(), 1);
			shrink(factor(), nowNanos);
		}
		else {
			count();
		}
	}

	/** Shrinks again, or ends the trial if that was its last step. */
	private void tryLess(Trial current, long nowNanos) {
		if (current.steps < STEPS) {
			this.trial = current.next();
			shrink(current.factor, nowNanos);
			return;
		}
		this.limit = current.limit;
		this.threshold = current.threshold;
		this.trial = null;
		this.pause = PAUSE;
		change(nowNanos);
	}

	/** The backend is down. */
	void outage(long nowNanos) {
		this.beforeOutage = (this.trial != null) ? this.trial.limit : this.limit;
		restart(1, nowNanos);
	}

	/** The backend saves again after an outage. */
	void recovered(Duration outage, long nowNanos) {
		double halvings = outage.toMillis() / (1e3 * HALF_LIFE_SECONDS);
		restart(Math.max(1, this.beforeOutage * Math.pow(2, -halvings)), nowNanos);
	}

	/** The last order in delivery has ended. */
	void idle(long nowNanos) {
		this.idleSinceNanos = nowNanos;
	}

	/** An order is about to be delivered while none is. */
	void resume(long nowNanos) {
		Long since = this.idleSinceNanos;
		this.idleSinceNanos = null;
		if (since != null && nowNanos - since >= IDLE.toNanos() && this.limit > INITIAL) {
			restart(INITIAL, nowNanos);
		}
	}

	int current() {
		return (int) this.limit;
	}

	private boolean isCurrent(long beganNanos) {
		return !this.changed || beganNanos - this.changedAtNanos >= 0;
	}

	/**
	 * Many, but not all. If all fail, it is an outage, which the circuit breaker detects.
	 */
	private boolean isMany() {
		return this.processed && (this.failures >= MANY * this.window
				|| this.failuresInARow >= Math.max(MANY_IN_A_ROW, this.limit / 2));
	}

	private void count() {
		if (++this.attempts >= this.window) {
			this.pause = Math.max(0, this.pause - 1);
			this.trial = null;
			startWindow();
		}
	}

	/**
	 * A window covers at least all attempts in flight, because failures may be faster
	 * than saves that began with them.
	 */
	private void startWindow() {
		this.window = Math.max(WINDOW, (int) this.limit);
		this.attempts = 0;
		this.failures = 0;
	}

	private double factor() {
		return (this.limit < this.threshold) ? SHRINK_IN_SLOW_START : SHRINK;
	}

	private void shrink(double factor, long nowNanos) {
		this.limit = Math.max(1, this.limit * factor);
		this.threshold = this.limit;
		change(nowNanos);
	}

	private void restart(double start, long nowNanos) {
		double before = (this.trial != null) ? this.trial.limit : this.limit;
		this.threshold = Math.max(before, this.threshold);
		this.limit = start;
		this.trial = null;
		this.pause = 0;
		change(nowNanos);
	}

	private void change(long nowNanos) {
		this.changed = true;
		this.changedAtNanos = nowNanos;
		this.failuresInARow = 0;
		this.processed = false;
		startWindow();
	}

	/**
	 * A smaller limit, tried because many attempts failed.
	 *
	 * @param limit the limit before it
	 * @param threshold the threshold before it
	 * @param factor by which the limit shrinks in each step
	 * @param steps how often it has shrunk
	 */
	private record Trial(double limit, double threshold, double factor, int steps) {

		Trial next() {
			return new Trial(this.limit, this.threshold, this.factor, this.steps + 1);
		}

	}

}
