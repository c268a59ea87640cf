package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limit finds the capacity of a backend, whatever way the backend shows that it is
 * full. A simulated consumer has more orders than it may deliver at once. The product's
 * own limit, circuit breaker and back-off decide; the backends are random, from a seed,
 * and a minute takes milliseconds.
 */
class OverloadTests {

	private static final boolean FULL = Boolean.getBoolean("sluice.full");

	private static final Duration LENGTH = Duration.ofMinutes(1);

	private static final int SEEDS = 2;

	/** Of backends that take thousands of orders a second: a minute takes seconds. */
	private static final Duration DEAR_LENGTH = FULL ? LENGTH : Duration.ofSeconds(20);

	private static final int DEAR_SEEDS = FULL ? SEEDS : 1;

	private static final int MAX_ATTEMPTS = 8;

	private static final int MAX_PENDING = 10_000;

	private static final Logger log = (Logger) LoggerFactory.getLogger(BackendHealth.class);

	@BeforeAll
	static void silence() {
		log.setLevel(Level.OFF);
	}

	@AfterAll
	static void speak() {
		log.setLevel(null);
	}

	/**
	 * The backend has slots of 50 ms each. With a full queue it answers 503 within 2 ms,
	 * without {@code Retry-After}.
	 */
	@ParameterizedTest
	@CsvSource({ "16, 200, 1000, 0.99", "16, 200, 100000, 0.99", "100, 50, 1000, 0.98", "4, 1000, 2000, 0.99",
			"1, 3, 100, 0.9", "16, 0, 1000, 0.8" })
	void usesABackendWhoseQueueIsFull(int slots, int queue, int concurrency, double atLeast) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, concurrency);
			simulation.backend = simulation.new Queue(slots, queue);
			simulation.run(LENGTH);

			double ideal = slots / 0.05 * LENGTH.toSeconds();
			assertThat(simulation.saved / ideal).as("seed %s: share of the backend's rate", seed)
				.isGreaterThan(atLeast);
			assertThat(simulation.refused / (double) simulation.attempts).as("seed %s: share refused", seed)
				.isLessThan(0.15);
			assertThat(simulation.deadLetters).as("seed %s", seed).isZero();
		}
	}

	/** What it took before a pause, it does not take any more. */
	@Test
	void isNotOverloadedByABurstAfterAPause() {
		for (int seed = 0; seed < DEAR_SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 1_000);
			Simulation.Queue backend = simulation.new Queue(1_000, 0);
			simulation.backend = backend;
			simulation.run(DEAR_LENGTH);
			simulation.orders = 0;
			simulation.run(DEAR_LENGTH.plusSeconds(2));
			assertThat(simulation.inFlight).isZero();
			int refused = simulation.refused;
			backend.slots = 16;
			backend.queue = 200;
			simulation.orders = 1_000;

			Duration took = simulation.runUntilAllAreSaved();

			assertThat(took.toMillis() / 1e3).as("seed %s: seconds", seed).isLessThan(1.3 * 1_000 * 0.05 / 16);
			assertThat(simulation.refused - refused).as("seed %s: refused", seed).isLessThan(150);
		}
	}

	/** Up to then half of the limit is in use, and it grows all the same. */
	@Test
	void isNotOverloadedByABurstBehindASteadyRate() {
		for (int seed = 0; seed < 10; seed++) {
			Simulation simulation = new Simulation(seed, 1_000);
			simulation.backend = simulation.new Queue(16, 200);
			simulation.orders = 0;
			simulation.receive(800, Duration.ofSeconds(2));
			simulation.run(Duration.ofSeconds(2));
			simulation.orders += 600;

			simulation.runUntilAllAreSaved();

			assertThat(simulation.health.outages()).as("seed %s", seed).isZero();
			assertThat(simulation.refused).as("seed %s: refused", seed).isLessThan(400);
		}
	}

	/** The limit is still that of the faster backend. */
	@ParameterizedTest
	@ValueSource(ints = { 300, 600, 800, 1_000 })
	void isNotOverloadedByABurstRightAfterAFasterBackend(int before) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 1_000);
			Simulation.Queue backend = simulation.new Queue(1_000, 0);
			simulation.backend = backend;
			simulation.orders = before;
			simulation.runUntilAllAreSaved();
			simulation.run(Duration.ofNanos(simulation.nowNanos).plusMillis(500));
			backend.slots = 16;
			backend.queue = 200;
			// A slot is free only after its order is answered.
			backend.lag = Duration.ofMillis(3);
			simulation.orders = 1_000;

			Duration took = simulation.runUntilAllAreSaved();

			assertThat(took.toMillis() / 1e3).as("seed %s: seconds", seed).isLessThan(1.3 * 1_000 * 0.05 / 16);
			assertThat(simulation.health.outages()).as("seed %s", seed).isZero();
		}
	}

	/** One of three instances behind a load balancer answers nothing but 503. */
	@ParameterizedTest
	@ValueSource(ints = { 50, 300 })
	void keepsItsLimitWhereFewerOrdersWouldFailAsOften(int concurrency) {
		for (int seed = 0; seed < DEAR_SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, concurrency);
			simulation.backend = simulation.new Failing(1 / 3.0);
			// The first few attempts may open the circuit breaker once.
			simulation.run(DEAR_LENGTH);
			int before = simulation.saved;
			simulation.run(DEAR_LENGTH.multipliedBy(2));

			// The rate if only the concurrency limits it: 50 ms for a save, 2 ms for a
			// failure.
			double ideal = concurrency / (0.05 + 0.5 * 0.002) * DEAR_LENGTH.toSeconds();
			assertThat((simulation.saved - before) / ideal).as("seed %s: share of the possible rate", seed)
				.isGreaterThan(0.9);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0.01, 0.95", "0.05, 0.95", "0.1, 0.95" })
	void keepsItsLimitWhereFewFail(double share, double atLeast) {
		for (int seed = 0; seed < DEAR_SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 300);
			simulation.backend = simulation.new Failing(share);
			simulation.run(DEAR_LENGTH);

			double ideal = 300 / 0.05 * DEAR_LENGTH.toSeconds();
			assertThat(simulation.saved / ideal).as("seed %s: share of the possible rate", seed).isGreaterThan(atLeast);
		}
	}

	/** The backend loses instances, and gets them back. */
	@ParameterizedTest
	@ValueSource(ints = { 2, 4 })
	void followsABackendThatBecomesSmallerAndLarger(int part) {
		for (int seed = 0; seed < DEAR_SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 1_000);
			Simulation.Queue backend = simulation.new Queue(64, 64);
			simulation.backend = backend;
			simulation.run(DEAR_LENGTH);
			backend.slots = 64 / part;
			backend.queue = 64 / part;
			int before = simulation.saved;
			simulation.run(DEAR_LENGTH.multipliedBy(2));
			int smaller = simulation.saved - before;
			backend.slots = 64;
			backend.queue = 64;
			simulation.run(DEAR_LENGTH.multipliedBy(3));
			int larger = simulation.saved - before - smaller;

			assertThat(smaller / (64 / part / 0.05 * DEAR_LENGTH.toSeconds())).as("seed %s: smaller", seed)
				.isGreaterThan(0.75);
			assertThat(larger / (64 / 0.05 * DEAR_LENGTH.toSeconds())).as("seed %s: larger", seed).isGreaterThan(0.75);
			assertThat(simulation.deadLetters).as("seed %s", seed).isZero();
		}
	}

	/** The concurrency limits it: 50 ms for a save, 2 ms for a failure. */
	@ParameterizedTest
	@CsvSource({ "10, 0.3", "10, 0.6", "50, 0.6", "2, 0.9" })
	void takesWhatABackendSavesThatFailsAtRandom(int concurrency, double share) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, concurrency);
			simulation.backend = simulation.new Failing(share);
			simulation.run(LENGTH);

			double ideal = (1 - share) * concurrency / ((1 - share) * 0.05 + share * 0.002) * LENGTH.toSeconds();
			assertThat(simulation.saved / ideal).as("seed %d: share of the possible rate", seed).isGreaterThan(0.7);
		}
	}

	/** It takes 320 orders a second. */
	@ParameterizedTest
	@ValueSource(doubles = { 0.3, 0.6, 0.9 })
	void takesWhatAFullBackendSavesThatFailsAtRandom(double share) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 100);
			Simulation.Queue queue = simulation.new Queue(16, 200);
			simulation.backend = simulation.new Failing(share, queue);
			simulation.run(LENGTH);

			assertThat(simulation.saved / ((1 - share) * 320 * LENGTH.toSeconds()))
				.as("seed %d: share of the possible rate", seed)
				.isGreaterThan(0.7);
		}
	}

	@ParameterizedTest
	@CsvSource({ "0.5, 20", "0.5, 100", "0.5, 500", "0.5, 1000", "0.5, 2000", "0.5, 4000", "0.5, 5000", "0.5, 10000",
			"0.5, 30000", "0.9, 100", "0.9, 500", "0.9, 1000", "0.9, 2000", "0.9, 3000", "0.9, 5000", "0.9, 10000",
			"0.9, 20000", "0.9, 60000" })
	void takesWhatABackendSavesThatComesAndGoes(double down, long periodMillis) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 100);
			Simulation.Queue queue = simulation.new Queue(16, 200);
			simulation.backend = simulation.new Flapping(Duration.ofMillis(periodMillis), down, queue);
			simulation.run(LENGTH.multipliedBy(2));

			assertThat(simulation.saved / ((1 - down) * 320 * LENGTH.toSeconds() * 2))
				.as("seed %d: share of the possible rate", seed)
				.isGreaterThan(0.7);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 20, 400 })
	void followsABackendThatThrottlesToARate(int perSecond) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed, 1_000);
			simulation.backend = simulation.new Rate(perSecond);
			simulation.run(LENGTH);

			assertThat(simulation.saved / (double) (perSecond * LENGTH.toSeconds())).as("seed %s", seed)
				.isGreaterThan(0.8);
			assertThat(simulation.deadLetters).as("seed %s", seed).isZero();
		}
	}

	private static final class SimulatedOrder {

		private final RetryBudget budget;

		private int attempts;

		SimulatedOrder(RetryBudget budget) {
			this.budget = budget;
		}

	}

	/** Schedules the answer to an attempt. */
	private interface SimulatedBackend {

		void attempt(Answer answer);

	}

	private interface Answer {

		void after(Duration wait, Attempt attempt);

	}

	private static final class Simulation {

		private static final Attempt SAVED = new Saved(null);

		private static final Attempt FULL = new RetryLater(FailureReason.failed(503, "full"), Reach.ANSWERED);

		private static final Attempt THROTTLED = new Throttled(FailureReason.throttled("429"), Duration.ZERO);

		private static final Duration REFUSAL = Duration.ofMillis(2);

		private final SplittableRandom random;

		private final BackendHealth health;

		private final AdaptiveLimit limit;

		private final Backoff backoff;

		private final PriorityQueue<Event> events = new PriorityQueue<>(
				Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));

		private final PriorityQueue<Event> retries = new PriorityQueue<>(
				Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));

		private SimulatedBackend backend = (answer) -> {
		};

		private long nowNanos;

		private long number;

		private int inFlight;

		/** Have a permit and wait with it. */
		private int reserved;

		private int attempts;

		private int refused;

		private int saved;

		private int deadLetters;

		/** That have not been tried yet. */
		private int orders = Integer.MAX_VALUE;

		/** That have been tried and are not saved. */
		private int begun;

		Simulation(long seed, int concurrency) {
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

		void run(Duration until) {
			fill();
			while (!this.events.isEmpty() && this.events.peek().atNanos() <= until.toNanos()) {
				Event event = this.events.poll();
				this.nowNanos = Math.max(this.nowNanos + 1, event.atNanos());
				event.task().run();
				fill();
			}
			this.nowNanos = until.toNanos();
		}

		/** Orders that come evenly. */
		void receive(int orders, Duration within) {
			for (int i = 0; i < orders; i++) {
				later(within.multipliedBy(i).dividedBy(orders), () -> this.orders++);
			}
		}

		Duration runUntilAllAreSaved() {
			long startNanos = this.nowNanos;
			fill();
			while (this.orders > 0 || this.begun > 0) {
				Event event = this.events.remove();
				this.nowNanos = Math.max(this.nowNanos + 1, event.atNanos());
				event.task().run();
				fill();
			}
			return Duration.ofNanos(this.nowNanos - startNanos);
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
			return (this.orders > 0 && this.begun < MAX_PENDING)
					|| (!this.retries.isEmpty() && this.retries.peek().atNanos() <= this.nowNanos);
		}

		/** Retries that are due come before new orders, as they do in a partition. */
		private SimulatedOrder next() {
			while (!this.retries.isEmpty() && this.retries.peek().atNanos() <= this.nowNanos) {
				SimulatedOrder order = this.retries.poll().order();
				if (!order.budget.isSpent()) {
					return order;
				}
				this.deadLetters++;
			}
			this.orders--;
			this.begun++;
			return new SimulatedOrder(this.health.budget(MAX_ATTEMPTS));
		}

		private void begin() {
			this.reserved--;
			if (this.inFlight >= this.limit.current() || !hasNext()) {
				return;
			}
			SimulatedOrder order = next();
			this.inFlight++;
			// No two things happen at once.
			long beganNanos = this.nowNanos++;
			this.attempts++;
			order.attempts++;
			this.backend.attempt((wait, attempt) -> later(wait, () -> end(order, beganNanos, attempt)));
		}

		private void end(SimulatedOrder order, long beganNanos, Attempt attempt) {
			BackendEvidence.Failure failure = this.health.attempted(attempt, beganNanos);
			int before = this.inFlight--;
			if (this.inFlight == 0) {
				this.limit.idle(this.nowNanos);
			}
			if (attempt == SAVED) {
				this.saved++;
				this.begun--;
				if (this.health.isHealthy()) {
					this.limit.processed(beganNanos, before);
				}
				return;
			}
			this.refused++;
			if (attempt == THROTTLED) {
				order.attempts--;
				this.limit.throttled(beganNanos, this.nowNanos);
			}
			else {
				if (this.health.isHealthy()) {
					this.limit.failed(beganNanos, this.nowNanos);
				}
				order.budget.failed(failure);
			}
			Duration wait = this.backoff.after(Math.max(1, order.attempts));
			this.retries.add(new Event(this.nowNanos + wait.toNanos(), this.number++, order, () -> {
			}));
			later(wait, () -> {
			});
		}

		private void later(Duration wait, Runnable task) {
			this.events.add(new Event(this.nowNanos + wait.toNanos(), this.number++, null, task));
		}

		private record Event(long atNanos, long number, SimulatedOrder order, Runnable task) {
		}

		/**
		 * A backend that processes as many orders at once as it has slots, queues some,
		 * and answers 503 to the rest.
		 */
		private final class Queue implements SimulatedBackend {

			private int slots;

			private int queue;

			private int busy;

			private Duration lag = Duration.ZERO;

			private final ArrayDeque<Answer> waiting = new ArrayDeque<>();

			Queue(int slots, int queue) {
				this.slots = slots;
				this.queue = queue;
			}

			@Override
			public void attempt(Answer answer) {
				if (this.busy < this.slots) {
					process(answer);
				}
				else if (this.waiting.size() < this.queue) {
					this.waiting.add(answer);
				}
				else {
					answer.after(REFUSAL, FULL);
				}
			}

			private void process(Answer answer) {
				this.busy++;
				// 50 ms on average.
				Duration took = Duration.ofNanos(Simulation.this.random.nextLong(25_000_000, 75_000_000));
				later(took.plus(this.lag), () -> {
					this.busy--;
					while (this.busy < this.slots && !this.waiting.isEmpty()) {
						process(this.waiting.poll());
					}
				});
				answer.after(took, SAVED);
			}

		}

		/** A share of the orders fails immediately; the others reach the backend. */
		private final class Failing implements SimulatedBackend {

			private final double share;

			private final SimulatedBackend others;

			/** Of a backend that takes any number at once. */
			Failing(double share) {
				this(share, (answer) -> answer
					.after(Duration.ofNanos(Simulation.this.random.nextLong(25_000_000, 75_000_000)), SAVED));
			}

			Failing(double share, SimulatedBackend others) {
				this.share = share;
				this.others = others;
			}

			@Override
			public void attempt(Answer answer) {
				if (Simulation.this.random.nextDouble() < this.share) {
					answer.after(REFUSAL, FULL);
				}
				else {
					this.others.attempt(answer);
				}
			}

		}

		/** A backend that is down for the first share of each period. */
		private final class Flapping implements SimulatedBackend {

			private final Duration period;

			private final double down;

			private final SimulatedBackend backend;

			Flapping(Duration period, double down, SimulatedBackend backend) {
				this.period = period;
				this.down = down;
				this.backend = backend;
			}

			@Override
			public void attempt(Answer answer) {
				long sinceNanos = Simulation.this.nowNanos % this.period.toNanos();
				if (sinceNanos < this.down * this.period.toNanos()) {
					answer.after(REFUSAL, FULL);
				}
				else {
					this.backend.attempt(answer);
				}
			}

		}

		/** A backend with a token bucket, which answers 429 when it is empty. */
		private final class Rate implements SimulatedBackend {

			private final double perNano;

			private double tokens = 1;

			private long filledNanos;

			Rate(int perSecond) {
				this.perNano = perSecond / 1e9;
			}

			@Override
			public void attempt(Answer answer) {
				long now = Simulation.this.nowNanos;
				this.tokens = Math.min(Math.max(1, this.perNano * 1e8),
						this.tokens + (now - this.filledNanos) * this.perNano);
				this.filledNanos = now;
				if (this.tokens >= 1) {
					this.tokens--;
					answer.after(Duration.ofMillis(50), SAVED);
				}
				else {
					answer.after(REFUSAL, THROTTLED);
				}
			}

		}

	}

}
