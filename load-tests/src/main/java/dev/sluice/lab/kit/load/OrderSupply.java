package dev.sluice.lab.kit.load;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import org.jspecify.annotations.Nullable;

/**
 * The orders of a phase, taken by its users one at a time, and what became of them:
 * orders = accepted + given up + still being tried. Thread-safe; never blocks.
 */
final class OrderSupply {

	/** No order is left. */
	static final int NONE = -1;

	/** Calls for an order at most. */
	static final int MAX_TRIES = 100;

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final long LONGEST_PAUSE_MILLIS = 1_600;

	private static final int CUSTOMERS = 1_000;

	/** Later ones count as this late. */
	private static final int MAX_LAG_MILLIS = 60_000;

	private static final long SECOND_NANOS = 1_000_000_000;

	private final String prefix;

	private final Phase phase;

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicLong deadlineNanos = new AtomicLong();

	private final AtomicInteger accepted = new AtomicInteger();

	private final AtomicInteger givenUp = new AtomicInteger();

	private final AtomicInteger failedCalls = new AtomicInteger();

	/** Start of the first order; 0 before it. The others are due relative to it. */
	private final AtomicLong firstNanos = new AtomicLong();

	/** Orders by how many milliseconds after they were due a user was at them. */
	private final AtomicIntegerArray lags = new AtomicIntegerArray(MAX_LAG_MILLIS + 1);

	private volatile @Nullable Flapping flapping;

	private volatile boolean complete;

	OrderSupply(String token, Phase phase) {
		this.prefix = token + "-" + phase.name().replace(' ', '-') + "-";
		this.phase = phase;
	}

	/** Starts the clock of the deadline. */
	void start() {
		this.deadlineNanos.set(System.nanoTime() + this.phase.deadlineMillis() * 1_000_000);
	}

	/** The next order's number, or {@link #NONE}. */
	int take() {
		if (this.phase.isTimed() && isOver()) {
			return NONE;
		}
		int order = this.next.getAndIncrement();
		return (order < this.phase.orders()) ? order : NONE;
	}

	/**
	 * An order's {@code Idempotency-Key}: a structured-field string.
	 * @param again 0 for the one that each try has; above, one more for each
	 */
	String key(int order, int again) {
		return "\"" + this.prefix + order + ((again > 0) ? "-" + again : "") + "\"";
	}

	/** An order's JSON, the same for each try. */
	String body(int order) {
		StringBuilder body = new StringBuilder("""
				{"customerId":"customer-%d","items":[\
				{"sku":"sku-%d","quantity":%d,"unitPrice":{"amount":"19.99","currency":"EUR"}}"""
			.formatted(order % CUSTOMERS, order % 97, order % 9 + 1));
		for (int i = 1; i < this.phase.client().items(); i++) {
			body.append("""
					,{"sku":"sku-%d","quantity":1,"unitPrice":{"amount":"5.00","currency":"EUR"}}"""
				.formatted((order + i - 1) % 89));
		}
		return body.append("]}").toString();
	}

	/** How long an order is still not due; 0 if it is. */
	Duration untilDue(int order) {
		return Duration.ofNanos(Math.max(0, dueNanos(order) - System.nanoTime()));
	}

	/** Notes that a user is at an order that was due by the clock, or with the first. */
	void begun(int order) {
		if (this.phase.client().perSecond() > 0 || order < this.phase.users()) {
			long millis = (System.nanoTime() - dueNanos(order)) / 1_000_000;
			this.lags.incrementAndGet((int) Math.clamp(millis, 0, MAX_LAG_MILLIS));
		}
	}

	private long dueNanos(int order) {
		this.firstNanos.compareAndSet(0, System.nanoTime());
		double perSecond = this.phase.client().perSecond();
		return this.firstNanos.get() + ((perSecond > 0) ? Math.round(order / perSecond * SECOND_NANOS) : 0);
	}

	/** How late 99 % of the orders were at most, in milliseconds. */
	int startLagP99Millis() {
		long all = 0;
		for (int millis = 0; millis <= MAX_LAG_MILLIS; millis++) {
			all += this.lags.get(millis);
		}
		long within = 0;
		for (int millis = 0; millis <= MAX_LAG_MILLIS; millis++) {
			within += this.lags.get(millis);
			if (within * 100 >= all * 99) {
				return millis;
			}
		}
		return MAX_LAG_MILLIS;
	}

	void accepted() {
		this.accepted.incrementAndGet();
	}

	/**
	 * Notes a failed call.
	 * @return whether to retry the order; otherwise it is given up
	 */
	boolean failed(int tries) {
		this.failedCalls.incrementAndGet();
		if (tries < MAX_TRIES && !isOver()) {
			return true;
		}
		this.givenUp.incrementAndGet();
		return false;
	}

	/**
	 * How long to wait before the next try, in milliseconds: doubling, with the upper
	 * half drawn at random so that orders refused together do not come back together.
	 */
	static long pauseMillis(int tries, double random) {
		long pause = Math.min(LONGEST_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries - 1, 10));
		return Math.round(pause / 2.0 * (1 + random));
	}

	boolean isOver() {
		return System.nanoTime() - this.deadlineNanos.get() >= 0;
	}

	/** Has the backend flap until the phase ends. */
	void flap(Flapping whatFlaps) {
		this.flapping = whatFlaps;
	}

	/** Notes what the backend had saved when the phase ended. */
	void ended(long saved) {
		Flapping whatFlaps = this.flapping;
		if (whatFlaps != null) {
			whatFlaps.close();
		}
		this.complete = this.phase.isTimed() || saved >= this.phase.orders();
	}

	/** Whether every order was taken at once and saved in time. */
	boolean isClean() {
		return this.complete && this.failedCalls.get() == 0;
	}

	/** The phase's name. */
	String name() {
		return this.phase.name();
	}

	int acceptedCount() {
		return this.accepted.get();
	}

	int givenUpCount() {
		return this.givenUp.get();
	}

}
