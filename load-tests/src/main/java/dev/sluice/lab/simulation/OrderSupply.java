package dev.sluice.lab.simulation;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.lab.plan.LoadPlan.Phase;

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

	private final String prefix;

	private final Phase phase;

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicLong deadlineNanos = new AtomicLong();

	private final AtomicInteger accepted = new AtomicInteger();

	private final AtomicInteger givenUp = new AtomicInteger();

	private final AtomicInteger failedCalls = new AtomicInteger();

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
	 * An order's {@code Idempotency-Key}, the same for each try: a structured-field
	 * string.
	 */
	String key(int order) {
		return "\"" + this.prefix + order + "\"";
	}

	/** An order's JSON, the same for each try. */
	String body(int order) {
		return """
				{"customerId":"customer-%d","items":[\
				{"sku":"sku-%d","quantity":%d,"unitPrice":{"amount":"19.99","currency":"EUR"}},\
				{"sku":"sku-%d","quantity":1,"unitPrice":{"amount":"5.00","currency":"EUR"}}]}"""
			.formatted(order % CUSTOMERS, order % 97, order % 9 + 1, order % 89);
	}

	void accepted() {
		this.accepted.incrementAndGet();
	}

	/**
	 * Notes a failed call.
	 * @return whether the order is to be tried again; otherwise it is given up
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

	/** Notes what the backend had saved when the phase ended. */
	void ended(long saved) {
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
