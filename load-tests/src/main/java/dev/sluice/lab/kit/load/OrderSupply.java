package dev.sluice.lab.kit.load;

import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.UUID;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.lab.kit.measure.OrderTimes;
import dev.sluice.lab.kit.measure.OrderTimes.Times;
import dev.sluice.lab.kit.statistics.Percentile;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.LoadPlan.Target;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderId;
import org.jspecify.annotations.Nullable;

/**
 * The orders of a phase, taken by its users one at a time, and what became of them:
 * orders = accepted + given up + still being tried. Thread-safe; never blocks.
 */
final class OrderSupply {

	/** No order is left. */
	static final int NONE = -1;

	/** Maximum number of calls for an order. */
	static final int MAX_TRIES = 100;

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final long MAX_PAUSE_MILLIS = 1_600;

	private static final int CUSTOMERS = 1_000;

	/** Orders that are later count as this late. */
	private static final int MAX_LAG_MILLIS = 60_000;

	private static final long SECOND_NANOS = 1_000_000_000;

	private static final long EPOCH_NANOS = System.nanoTime();

	private static final long EPOCH_MICROS = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	private final String prefix;

	private final Phase phase;

	private final List<Target> targets;

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicLong deadlineNanos = new AtomicLong();

	private final AtomicInteger accepted = new AtomicInteger();

	private final AtomicInteger givenUp = new AtomicInteger();

	private final AtomicInteger failedCalls = new AtomicInteger();

	/** Start of the first order; 0 before it. The others are due relative to it. */
	private final AtomicLong firstNanos = new AtomicLong();

	/**
	 * Number of orders by the milliseconds between when they were due and when a user
	 * began them.
	 */
	private final AtomicIntegerArray lags = new AtomicIntegerArray(MAX_LAG_MILLIS + 1);

	/** Bounded by the orders of the phase. */
	private final Queue<Times> times = new ConcurrentLinkedQueue<>();

	private final AtomicLong startNanos = new AtomicLong();

	private volatile @Nullable Flapping flapping;

	private volatile boolean stopped;

	private volatile boolean complete;

	/**
	 * The orders of a phase.
	 * @param token part of every idempotency key
	 * @param gateway for a phase without targets
	 */
	OrderSupply(String token, URI gateway, Phase phase) {
		this.prefix = token + "-" + phase.name().replace(' ', '-') + "-";
		this.phase = phase;
		this.targets = phase.targets().isEmpty() ? List.of(new Target(gateway, phase.mode())) : phase.targets();
	}

	/** Starts the clock of the deadline. */
	void start() {
		long now = System.nanoTime();
		this.startNanos.set(now);
		this.deadlineNanos.set(now + this.phase.deadlineMillis() * 1_000_000);
	}

	/** The next order's number, or {@link #NONE}. */
	int take() {
		if (this.phase.isTimed()) {
			return isEnough() ? NONE : this.next.getAndIncrement();
		}
		int order = this.next.getAndIncrement();
		return (order < this.phase.orders()) ? order : NONE;
	}

	boolean isEnough() {
		boolean longEnough = System.nanoTime() - this.startNanos.get() >= this.phase.lastMillis() * 1_000_000;
		return this.stopped || isOver() || (longEnough && this.next.get() >= this.phase.orders());
	}

	/** Ends a phase with a time: no more orders are taken. */
	void stop() {
		this.stopped = true;
	}

	/**
	 * Ends a phase when its backlog has reached its limit.
	 * @param saved orders of the phase that the backend has
	 */
	void watchBacklog(long saved) {
		if (this.next.get() >= this.phase.orders() && this.accepted.get() - saved >= this.phase.mostBacklog()) {
			stop();
		}
	}

	/** Orders that users have begun. */
	int placedCount() {
		return this.phase.isTimed() ? this.next.get() : Math.min(this.next.get(), this.phase.orders());
	}

	/**
	 * Whether the backend has saved enough for the phase to end: all orders or, in a
	 * phase with a time, those accepted.
	 */
	boolean isSaved(long saved) {
		return saved >= (this.phase.isTimed() ? this.accepted.get() : this.phase.orders());
	}

	/** A gateway that the phase places orders at. */
	URI gateway() {
		return this.targets.getFirst().gateway();
	}

	/** The modes of its orders, one or both. */
	List<Mode> modes() {
		return this.targets.stream().map(Target::mode).distinct().toList();
	}

	/** The mode of an order. */
	Mode mode(int order) {
		return this.targets.get(order % this.targets.size()).mode();
	}

	/** The URL that an order is sent to. */
	String url(int order) {
		return this.targets.get(order % this.targets.size()).gateway().resolve("/orders").toString();
	}

	/** An order's {@code Idempotency-Key}, a structured-field string. */
	String key(int order) {
		return "\"" + this.prefix + order + "\"";
	}

	/** An order's JSON, the same for each try. */
	String body(int order) {
		StringBuilder body = new StringBuilder("""
				{"customerId":"%s","items":[\
				{"sku":"sku-%d","quantity":%d,"unitPrice":{"amount":"19.99","currency":"EUR"}}"""
			.formatted(customer(order), order % 97, order % 9 + 1));
		for (int i = 1; i < this.phase.client().items(); i++) {
			body.append("""
					,{"sku":"sku-%d","quantity":1,"unitPrice":{"amount":"5.00","currency":"EUR"}}"""
				.formatted((order + i - 1) % 89));
		}
		return body.append("]}").toString();
	}

	/** The time until an order is due; 0 if it is. */
	Duration untilDue(int order) {
		return Duration.ofNanos(Math.max(0, dueNanos(order) - System.nanoTime()));
	}

	/**
	 * Notes that a user begins an order.
	 * @return when it was due, on schedule or now, in microseconds since 1970
	 */
	long begun(int order) {
		long now = System.nanoTime();
		if (this.phase.client().perSecond() > 0 || !this.phase.isTimed() && order < this.phase.users()) {
			long millis = (now - dueNanos(order)) / 1_000_000;
			this.lags.incrementAndGet((int) Math.clamp(millis, 0, MAX_LAG_MILLIS));
		}
		return micros((this.phase.client().perSecond() > 0) ? dueNanos(order) : now);
	}

	private static long micros(long nanos) {
		return EPOCH_MICROS + (nanos - EPOCH_NANOS) / 1_000;
	}

	private long dueNanos(int order) {
		this.firstNanos.compareAndSet(0, System.nanoTime());
		double perSecond = this.phase.client().perSecond();
		return this.firstNanos.get() + ((perSecond > 0) ? Math.round(order / perSecond * SECOND_NANOS) : 0);
	}

	/**
	 * How late 99 % of the orders were at most, in milliseconds; with too few orders for
	 * a percentile, all of them.
	 */
	int startLagP99Millis() {
		long all = 0;
		for (int millis = 0; millis <= MAX_LAG_MILLIS; millis++) {
			all += this.lags.get(millis);
		}
		long rank = Percentile.rank(all, 99).orElse(all);
		long within = 0;
		for (int millis = 0; millis <= MAX_LAG_MILLIS; millis++) {
			within += this.lags.get(millis);
			if (within >= rank) {
				return millis;
			}
		}
		return MAX_LAG_MILLIS;
	}

	/**
	 * Notes that an order was accepted.
	 * @param due as returned by {@link #begun}
	 */
	void accepted(int order, long due) {
		this.accepted.incrementAndGet();
		note(order, due, micros(System.nanoTime()));
	}

	private void note(int order, long due, long acceptedMicros) {
		if (this.phase.measured()) {
			this.times.add(new Times(order, due, acceptedMicros, 0));
		}
	}

	/**
	 * When each order was due, accepted and saved.
	 * @param savedMicros times by order id, in microseconds since 1970
	 */
	OrderTimes times(Map<UUID, Long> savedMicros) {
		return new OrderTimes(this.times.stream()
			.map((times) -> new Times(times.order(), times.due(), times.accepted(),
					savedMicros.getOrDefault(id(times.order()), 0L)))
			.toList());
	}

	private UUID id(int order) {
		return OrderId.of(customer(order), this.prefix + order);
	}

	private static String customer(int order) {
		return "customer-" + order % CUSTOMERS;
	}

	/**
	 * Notes a failed call.
	 * @param due as returned by {@link #begun}
	 * @return whether to retry the order; otherwise it is given up
	 */
	boolean failed(int order, long due, int tries) {
		this.failedCalls.incrementAndGet();
		if (tries < MAX_TRIES && !isOver()) {
			return true;
		}
		this.givenUp.incrementAndGet();
		note(order, due, 0);
		return false;
	}

	/**
	 * The pause before the next try, in milliseconds. It doubles with each try, and its
	 * upper half is random, so that orders refused together are not retried together.
	 */
	static long pauseMillis(int tries, double random) {
		long pause = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries - 1, 10));
		return Math.round(pause / 2.0 * (1 + random));
	}

	boolean isOver() {
		return System.nanoTime() - this.deadlineNanos.get() >= 0;
	}

	/** Lets the backend flap until the phase ends. */
	void flap(Flapping active) {
		this.flapping = active;
	}

	/** Notes how many orders the backend had saved when the phase ended. */
	void ended(long saved) {
		Flapping active = this.flapping;
		if (active != null) {
			active.close();
		}
		this.complete = isSaved(saved);
	}

	/** Whether every order was accepted at the first try and saved in time. */
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
