package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;

/**
 * Delivers orders in simulated time, hours in milliseconds. The limit, the circuit
 * breaker, the evidence, the retry budget and the back-off are the product's own. A
 * backend of the test answers at random times; the same seed repeats the same simulation.
 */
final class DeliverySimulator {

	static final int MAX_ATTEMPTS = 8;

	private static final int MAX_PENDING = 10_000;

	static final Attempt SAVED = new Saved(null);

	static final Attempt FAILED = new RetryLater(FailureReason.failed(503, "full"), Reach.ANSWERED);

	static final Attempt REJECTED = new Rejected(FailureReason.refused(400, "400"));

	final SplittableRandom random;

	final BackendHealth health;

	/** Orders that became dead letters. */
	final List<SimulatedOrder> buried = new ArrayList<>();

	/** Without a given time, as many as may be delivered at once. */
	int orders;

	int inFlight;

	int attempts;

	int refused;

	int saved;

	SimulatedBackend backend = (_, _) -> {
	};

	long nowNanos;

	private final AdaptiveLimit limit;

	private final Backoff backoff;

	private final PriorityQueue<Event> events = new PriorityQueue<>(
			Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));

	/** Retries that are due come before new orders, as they do in a partition. */
	private final Deque<SimulatedOrder> retries = new ArrayDeque<>();

	private final Deque<SimulatedOrder> arrived = new ArrayDeque<>();

	/** Have a permit and wait with it. */
	private int reserved;

	/** That have been tried and are not saved. */
	private int begun;

	private long number;

	DeliverySimulator(long seed, int concurrency) {
		this.random = new SplittableRandom(seed);
		this.limit = new AdaptiveLimit(concurrency);
		this.health = new BackendHealth(new BackendProperties.Circuit(Duration.ofSeconds(2), Duration.ofSeconds(2)),
				Duration.ofSeconds(1), () -> this.nowNanos);
		this.health.onChange(() -> {
			if (this.health.isHealthy()) {
				this.limit.recovered(this.health.unsavedFor(), this.nowNanos);
			}
			else {
				this.limit.outage(this.nowNanos);
			}
		});
		this.backoff = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30), this.random::nextDouble);
	}

	/** Schedules the answer to an attempt. */
	interface SimulatedBackend {

		void attempt(SimulatedOrder order, Answer answer);

	}

	interface Answer {

		void after(Duration wait, Attempt attempt);

	}

	static final class SimulatedOrder {

		/** Whether the backend never saves it. */
		final boolean poisonous;

		int attempts;

		boolean saved;

		private RetryBudget budget;

		private int throttled;

		SimulatedOrder(boolean poisonous) {
			this.poisonous = poisonous;
		}

		@Override
		public String toString() {
			return "poisonous %s, attempts %s, saved %s".formatted(this.poisonous, this.attempts, this.saved);
		}

	}

	/** An order that arrives at this time of the simulation. */
	SimulatedOrder order(Duration at, boolean poisonous) {
		SimulatedOrder order = new SimulatedOrder(poisonous);
		at(at.toNanos(), () -> this.arrived.add(order));
		return order;
	}

	void run(Duration until) {
		fill();
		while (!this.events.isEmpty() && this.events.peek().atNanos() <= until.toNanos()) {
			next();
		}
		this.nowNanos = until.toNanos();
	}

	Duration runUntilAllAreSaved() {
		long startNanos = this.nowNanos;
		fill();
		while (this.orders > 0 || this.begun > 0) {
			next();
		}
		return Duration.ofNanos(this.nowNanos - startNanos);
	}

	private void next() {
		Event event = this.events.remove();
		// No two things happen at once.
		this.nowNanos = Math.max(this.nowNanos + 1, event.atNanos());
		event.task().run();
		fill();
	}

	void later(Duration wait, Runnable task) {
		at(this.nowNanos + wait.toNanos(), task);
	}

	private void at(long nanos, Runnable task) {
		this.events.add(new Event(nanos, this.number++, task));
	}

	private void fill() {
		if (this.inFlight == 0 && hasNext()) {
			this.limit.resume(this.nowNanos);
		}
		while (this.inFlight + this.reserved < this.limit.current() && hasNext()) {
			Duration wait = this.health.reserve(this.limit.current());
			this.reserved++;
			if (wait.isZero()) {
				begin();
			}
			else {
				later(wait, this::begin);
			}
		}
	}

	private boolean hasNext() {
		return !this.retries.isEmpty() || !this.arrived.isEmpty() || (this.orders > 0 && this.begun < MAX_PENDING);
	}

	private SimulatedOrder take() {
		if (!this.retries.isEmpty()) {
			return this.retries.remove();
		}
		SimulatedOrder order = this.arrived.poll();
		if (order == null) {
			this.orders--;
			order = new SimulatedOrder(false);
		}
		this.begun++;
		order.budget = this.health.budget(MAX_ATTEMPTS);
		return order;
	}

	private void begin() {
		this.reserved--;
		if (this.inFlight >= this.limit.current() || !hasNext()) {
			return;
		}
		SimulatedOrder order = take();
		this.inFlight++;
		long beganNanos = this.nowNanos++;
		this.attempts++;
		order.attempts++;
		this.backend.attempt(order, (wait, attempt) -> later(wait, () -> end(order, beganNanos, attempt)));
	}

	private void end(SimulatedOrder order, long beganNanos, Attempt attempt) {
		BackendEvidence.Failure failure = this.health.attempted(attempt, beganNanos);
		int before = this.inFlight--;
		if (this.inFlight == 0) {
			this.limit.idle(this.nowNanos);
		}
		this.refused += (attempt instanceof Saved) ? 0 : 1;
		if (this.health.isHealthy() && (attempt instanceof Saved || attempt instanceof Rejected)) {
			this.limit.processed(beganNanos, before);
		}
		else if (this.health.isHealthy() && attempt instanceof RetryLater) {
			this.limit.failed(beganNanos, this.nowNanos);
		}
		switch (attempt) {
			case Saved _ -> {
				order.saved = true;
				this.saved++;
				this.begun--;
				return;
			}
			case Throttled asked -> {
				order.attempts--;
				this.limit.throttled(beganNanos, this.nowNanos);
				later(asked.retryAfter().plus(this.backoff.after(++order.throttled)), () -> again(order));
				return;
			}
			case Rejected _ -> order.budget.rejected(failure);
			default -> order.budget.failed(failure);
		}
		order.throttled = 0;
		later(this.backoff.after(order.attempts), () -> again(order));
	}

	private void again(SimulatedOrder order) {
		if (order.budget.isSpent()) {
			this.buried.add(order);
			this.begun--;
		}
		else {
			this.retries.add(order);
		}
	}

	private record Event(long atNanos, long number, Runnable task) {
	}

}
