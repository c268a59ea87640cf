package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.lab.kit.measure.OrderCalls;
import dev.sluice.lab.kit.measure.OrderCalls.Call;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Target;

/**
 * The orders of a simulation, taken by its users one at a time, and how many of them were
 * accepted. Thread-safe; never blocks.
 */
final class OrderSupply {

	/** No order is left. */
	static final int NONE = -1;

	/** Maximum number of calls for an order. */
	static final int MAX_TRIES = 100;

	private static final long FIRST_PAUSE_MILLIS = 100;

	private static final long MAX_PAUSE_MILLIS = 1_600;

	private static final double SECOND_NANOS = 1e9;

	private final LoadParameters parameters;

	private final Phase phase;

	private final OrderIdentity identity;

	private final long epochNanos = System.nanoTime();

	private final long epochMicros = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

	/** Start of the first order; 0 before it. The others are due relative to it. */
	private final AtomicLong firstNanos = new AtomicLong();

	private final AtomicInteger next = new AtomicInteger();

	private final AtomicInteger accepted = new AtomicInteger();

	private final AtomicInteger failedCalls = new AtomicInteger();

	/** Stays empty if nobody wants the notes. */
	private final Queue<Call> calls = new ConcurrentLinkedQueue<>();

	private volatile boolean stopped;

	OrderSupply(LoadParameters parameters) {
		this.parameters = parameters;
		this.phase = parameters.phase();
		this.identity = identity(parameters.token(), this.phase.name());
	}

	LoadParameters parameters() {
		return this.parameters;
	}

	/** The orders of a simulation of that name. */
	static OrderIdentity identity(String token, String name) {
		return new OrderIdentity(token + "-" + name.replace(' ', '-'));
	}

	/** The next order's number, or {@link #NONE}. */
	int take() {
		this.firstNanos.compareAndSet(0, System.nanoTime());
		boolean timed = this.phase.extent().isTimed();
		if (this.stopped || timed && isEnough()) {
			return NONE;
		}
		int order = this.next.getAndIncrement();
		return (timed || order < this.phase.extent().orders()) ? order : NONE;
	}

	private boolean isEnough() {
		return isOver() || sinceFirstMillis() >= this.phase.extent().lastMillis()
				&& this.next.get() >= this.phase.extent().orders();
	}

	private boolean isOver() {
		return sinceFirstMillis() >= this.phase.deadlineMillis();
	}

	private long sinceFirstMillis() {
		return (System.nanoTime() - this.firstNanos.get()) / 1_000_000;
	}

	/** No more orders are taken. */
	void stop() {
		this.stopped = true;
	}

	/** The mode of an order. */
	Mode mode(int order) {
		return target(order).mode();
	}

	/** The URL that an order is sent to. */
	String url(int order) {
		return target(order).gateway().resolve("/orders").toString();
	}

	private Target target(int order) {
		return this.phase.targets().get(order % this.phase.targets().size());
	}

	/** An order's {@code Idempotency-Key}, a structured-field string. */
	String key(int order) {
		return "\"" + this.identity.key(order) + "\"";
	}

	/** An order's JSON, the same for each try. */
	String body(int order) {
		return OrderIdentity.body(order, this.phase.client().items());
	}

	/** The time until an order is due; 0 if it is. */
	Duration untilDue(int order) {
		return Duration.ofNanos(Math.max(0, dueNanos(order) - System.nanoTime()));
	}

	/**
	 * When an order that a user begins was due: on schedule, or now. In microseconds
	 * since 1970.
	 */
	long due(int order) {
		return (this.phase.client().perSecond() > 0) ? micros(dueNanos(order)) : now();
	}

	private long dueNanos(int order) {
		double perSecond = this.phase.client().perSecond();
		return this.firstNanos.get() + ((perSecond > 0) ? Math.round(order / perSecond * SECOND_NANOS) : 0);
	}

	/** In microseconds since 1970, by a clock that never jumps. */
	long now() {
		return micros(System.nanoTime());
	}

	private long micros(long nanos) {
		return this.epochMicros + (nanos - this.epochNanos) / 1_000;
	}

	/**
	 * Notes a call that has ended.
	 * @param tries calls for the order until now, this one included
	 * @return whether to try again
	 */
	boolean ended(Call call, int tries) {
		if (this.parameters.notes() != null) {
			this.calls.add(call);
		}
		if (call.ok()) {
			this.accepted.incrementAndGet();
			return false;
		}
		this.failedCalls.incrementAndGet();
		return tries < MAX_TRIES && !isOver();
	}

	/**
	 * The pause before the next try, in milliseconds. It doubles with each try, and its
	 * upper half is random, so that orders refused together are not retried together.
	 */
	static long pauseMillis(int tries, double random) {
		long pause = Math.min(MAX_PAUSE_MILLIS, FIRST_PAUSE_MILLIS << Math.min(tries - 1, 10));
		return Math.round(pause / 2.0 * (1 + random));
	}

	/** Writes the calls to the file that the parameters name, if they do. */
	void writeNotes() throws IOException {
		Path notes = this.parameters.notes();
		if (notes != null) {
			OrderCalls.write(notes, this.calls);
		}
	}

	Counts counts() {
		int taken = this.next.get();
		return new Counts(this.phase.extent().isTimed() ? taken : Math.min(taken, this.phase.extent().orders()),
				this.accepted.get(), this.failedCalls.get());
	}

	/**
	 * What became of the orders until now.
	 *
	 * @param placed orders that users have begun
	 * @param accepted orders answered 201 or 202
	 * @param failedCalls calls not answered 201 or 202
	 */
	record Counts(int placed, int accepted, int failedCalls) {

		static final Counts NONE = new Counts(0, 0, 0);

	}

}
