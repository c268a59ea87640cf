package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayDeque;

import dev.sluice.consumer.Quiet;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.limiter.DeliverySimulator.Answer;
import dev.sluice.consumer.limiter.DeliverySimulator.SimulatedBackend;
import dev.sluice.consumer.limiter.DeliverySimulator.SimulatedOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limit finds the capacity of a backend, whatever way the backend shows that it is
 * full.
 */
@ExtendWith(Quiet.class)
class OverloadTests {

	private static final boolean FULL = Boolean.getBoolean("sluice.full");

	private static final Duration LENGTH = Duration.ofMinutes(1);

	/** One for mutation tests. */
	private static final int SEEDS = (Integer.getInteger("simulation.lives", 100) < 100) ? 1 : 2;

	/** Of backends that take thousands of orders a second: a minute takes seconds. */
	private static final Duration DEAR_LENGTH = FULL ? LENGTH : Duration.ofSeconds(20);

	private static final int DEAR_SEEDS = FULL ? SEEDS : 1;

	private static final Duration REFUSAL = Duration.ofMillis(2);

	/**
	 * The backend has slots of 50 ms each. With a full queue it answers 503 within 2 ms,
	 * without {@code Retry-After}.
	 */
	@ParameterizedTest
	@CsvSource({ "16, 200, 1000, 0.99", "16, 200, 100000, 0.99", "100, 50, 1000, 0.98", "4, 1000, 2000, 0.99",
			"1, 3, 100, 0.9", "16, 0, 1000, 0.8" })
	void usesABackendWhoseQueueIsFull(int slots, int queue, int concurrency, double atLeast) {
		for (int seed = 0; seed < SEEDS; seed++) {
			DeliverySimulator simulation = endless(seed, concurrency);
			simulation.backend = new Queue(simulation, slots, queue);
			simulation.run(LENGTH);

			assertSaves(simulation.saved, slots / 0.05, LENGTH, atLeast);
			assertThat(simulation.refused / (double) simulation.attempts).as("seed %s: share refused", seed)
				.isLessThan(0.15);
			assertThat(simulation.buried).as("seed %s", seed).isEmpty();
		}
	}

	/** What it took before a pause, it does not take any more. */
	@Test
	void isNotOverloadedByABurstAfterAPause() {
		for (int seed = 0; seed < DEAR_SEEDS; seed++) {
			DeliverySimulator simulation = endless(seed, 1_000);
			Queue backend = new Queue(simulation, 1_000, 0);
			simulation.run(DEAR_LENGTH);
			simulation.orders = 0;
			simulation.run(DEAR_LENGTH.plusSeconds(2));
			assertThat(simulation.inFlight).isZero();
			int refused = simulation.refused;
			backend.resize(16, 200);
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
			DeliverySimulator simulation = new DeliverySimulator(seed, 1_000);
			simulation.backend = new Queue(simulation, 16, 200);
			for (int i = 0; i < 800; i++) {
				simulation.order(Duration.ofMillis(2_000).multipliedBy(i).dividedBy(800), false);
			}
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
			DeliverySimulator simulation = new DeliverySimulator(seed, 1_000);
			Queue backend = new Queue(simulation, 1_000, 0);
			simulation.orders = before;
			simulation.runUntilAllAreSaved();
			simulation.run(Duration.ofNanos(simulation.nowNanos).plusMillis(500));
			backend.resize(16, 200);
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
			DeliverySimulator simulation = endless(seed, concurrency);
			simulation.backend = new Failing(simulation, 1 / 3.0, fast(simulation));
			// The first few attempts may open the circuit breaker once.
			simulation.run(DEAR_LENGTH);
			int before = simulation.saved;
			simulation.run(DEAR_LENGTH.multipliedBy(2));

			assertSaves(simulation.saved - before, possible(concurrency, 1 / 3.0), DEAR_LENGTH, 0.9);
		}
	}

	/** It takes any number of orders at once, or 320 a second. */
	@ParameterizedTest
	@CsvSource({ "300, 0.01, false, 0.95", "300, 0.05, false, 0.95", "300, 0.1, false, 0.95", "10, 0.3, false, 0.7",
			"10, 0.6, false, 0.7", "50, 0.6, false, 0.7", "2, 0.9, false, 0.7", "100, 0.3, true, 0.7",
			"100, 0.6, true, 0.7", "100, 0.9, true, 0.7" })
	void takesWhatABackendSavesThatFailsAtRandom(int concurrency, double share, boolean full, double atLeast) {
		for (int seed = 0; seed < SEEDS; seed++) {
			DeliverySimulator simulation = endless(seed, concurrency);
			simulation.backend = new Failing(simulation, share,
					full ? new Queue(simulation, 16, 200) : fast(simulation));
			simulation.run(LENGTH);

			assertSaves(simulation.saved, full ? (1 - share) * 320 : possible(concurrency, share), LENGTH, atLeast);
		}
	}

	/** If the concurrency limits it: 50 ms for a save, 2 ms for a failure. */
	private static double possible(int concurrency, double share) {
		return (1 - share) * concurrency / ((1 - share) * 0.05 + share * 0.002);
	}

	/** The backend loses instances, and gets them back. */
	@ParameterizedTest
	@ValueSource(ints = { 2, 4 })
	void followsABackendThatBecomesSmallerAndLarger(int part) {
		for (int seed = 0; seed < DEAR_SEEDS; seed++) {
			DeliverySimulator simulation = endless(seed, 1_000);
			Queue backend = new Queue(simulation, 64, 64);
			simulation.run(DEAR_LENGTH);
			backend.resize(64 / part, 64 / part);
			int before = simulation.saved;
			simulation.run(DEAR_LENGTH.multipliedBy(2));
			int smaller = simulation.saved - before;
			backend.resize(64, 64);
			simulation.run(DEAR_LENGTH.multipliedBy(3));

			assertSaves(smaller, 64 / part / 0.05, DEAR_LENGTH, 0.75);
			assertSaves(simulation.saved - before - smaller, 64 / 0.05, DEAR_LENGTH, 0.75);
			assertThat(simulation.buried).as("seed %s", seed).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "0.5, 20", "0.5, 100", "0.5, 500", "0.5, 1000", "0.5, 2000", "0.5, 4000", "0.5, 5000", "0.5, 10000",
			"0.5, 30000", "0.9, 100", "0.9, 500", "0.9, 1000", "0.9, 2000", "0.9, 3000", "0.9, 5000", "0.9, 10000",
			"0.9, 20000", "0.9, 60000" })
	void takesWhatABackendSavesThatComesAndGoes(double down, long periodMillis) {
		for (int seed = 0; seed < SEEDS; seed++) {
			DeliverySimulator simulation = endless(seed, 100);
			SimulatedBackend queue = new Queue(simulation, 16, 200);
			// Down for the first share of each period.
			simulation.backend = (order, answer) -> {
				if (simulation.nowNanos % (periodMillis * 1_000_000) < down * periodMillis * 1e6) {
					answer.after(REFUSAL, DeliverySimulator.FAILED);
				}
				else {
					queue.attempt(order, answer);
				}
			};
			simulation.run(LENGTH.multipliedBy(2));

			assertSaves(simulation.saved, (1 - down) * 320, LENGTH.multipliedBy(2), 0.7);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 20, 400 })
	void followsABackendThatThrottlesToARate(int perSecond) {
		for (int seed = 0; seed < SEEDS; seed++) {
			DeliverySimulator simulation = endless(seed, 1_000);
			simulation.backend = new Rate(simulation, perSecond);
			simulation.run(LENGTH);

			assertSaves(simulation.saved, perSecond, LENGTH, 0.8);
			assertThat(simulation.buried).as("seed %s", seed).isEmpty();
		}
	}

	private static void assertSaves(int saved, double perSecond, Duration length, double atLeast) {
		assertThat(saved / (perSecond * length.toSeconds())).as("share of the possible rate").isGreaterThan(atLeast);
	}

	/** With more orders than may be delivered at once. */
	private static DeliverySimulator endless(long seed, int concurrency) {
		DeliverySimulator simulation = new DeliverySimulator(seed, concurrency);
		simulation.orders = Integer.MAX_VALUE;
		return simulation;
	}

	/** A backend that takes any number at once. */
	private static SimulatedBackend fast(DeliverySimulator simulation) {
		return (_, answer) -> answer.after(save(simulation), DeliverySimulator.SAVED);
	}

	/** 50 ms on average. */
	private static Duration save(DeliverySimulator simulation) {
		return Duration.ofNanos(simulation.random.nextLong(25_000_000, 75_000_000));
	}

	/**
	 * A backend that processes as many orders at once as it has slots, queues some, and
	 * answers 503 to the rest.
	 */
	private static final class Queue implements SimulatedBackend {

		private final DeliverySimulator simulation;

		private final ArrayDeque<Answer> waiting = new ArrayDeque<>();

		private int slots;

		private int queue;

		private int busy;

		private Duration lag = Duration.ZERO;

		Queue(DeliverySimulator simulation, int slots, int queue) {
			this.simulation = simulation;
			simulation.backend = this;
			resize(slots, queue);
		}

		void resize(int slots, int queue) {
			this.slots = slots;
			this.queue = queue;
		}

		@Override
		public void attempt(SimulatedOrder order, Answer answer) {
			if (this.busy < this.slots) {
				process(answer);
			}
			else if (this.waiting.size() < this.queue) {
				this.waiting.add(answer);
			}
			else {
				answer.after(REFUSAL, DeliverySimulator.FAILED);
			}
		}

		private void process(Answer answer) {
			this.busy++;
			Duration took = save(this.simulation);
			this.simulation.later(took.plus(this.lag), () -> {
				this.busy--;
				while (this.busy < this.slots && !this.waiting.isEmpty()) {
					process(this.waiting.poll());
				}
			});
			answer.after(took, DeliverySimulator.SAVED);
		}

	}

	/** A share of the orders fails immediately; the others reach the backend. */
	private record Failing(DeliverySimulator simulation, double share,
			SimulatedBackend others) implements SimulatedBackend {

		@Override
		public void attempt(SimulatedOrder order, Answer answer) {
			if (this.simulation.random.nextDouble() < this.share) {
				answer.after(REFUSAL, DeliverySimulator.FAILED);
			}
			else {
				this.others.attempt(order, answer);
			}
		}

	}

	/** A backend with a token bucket, which answers 429 when it is empty. */
	private static final class Rate implements SimulatedBackend {

		private static final Attempt THROTTLED = new Throttled(FailureReason.throttled("429"), Duration.ZERO);

		private final DeliverySimulator simulation;

		private final double perNano;

		private double tokens = 1;

		private long filledNanos;

		Rate(DeliverySimulator simulation, int perSecond) {
			this.simulation = simulation;
			this.perNano = perSecond / 1e9;
		}

		@Override
		public void attempt(SimulatedOrder order, Answer answer) {
			long now = this.simulation.nowNanos;
			this.tokens = Math.min(Math.max(1, this.perNano * 1e8),
					this.tokens + (now - this.filledNanos) * this.perNano);
			this.filledNanos = now;
			if (this.tokens >= 1) {
				this.tokens--;
				answer.after(Duration.ofMillis(50), DeliverySimulator.SAVED);
			}
			else {
				answer.after(REFUSAL, THROTTLED);
			}
		}

	}

}
