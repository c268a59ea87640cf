package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.sluice.consumer.Backoff;
import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.limiter.BackendHealth;
import dev.sluice.consumer.limiter.RetryBudget;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No order becomes a dead letter because of a failure that all orders had at that time,
 * whatever the rate. Orders, outages and answers are simulated at random times, hours in
 * milliseconds. The same seed repeats the same simulation. The circuit breaker, the
 * evidence, the retry budget and the back-off are the product's own.
 */
class OutageTests {

	private static final int MAX_ATTEMPTS = 8;

	private static final boolean FULL = Boolean.getBoolean("sluice.full");

	private static final int SEEDS = FULL ? 10 : 3;

	private static final Logger log = (Logger) LoggerFactory.getLogger(BackendHealth.class);

	/** The log would report thousands of outages. */
	@BeforeAll
	static void silence() {
		log.setLevel(Level.OFF);
	}

	@AfterAll
	static void speak() {
		log.setLevel(null);
	}

	@ParameterizedTest
	@CsvSource({ "0.02, 100, 30, false", "0.2, 50, 15, false", "1, 20, 6, false", "5, 5, 2, false", "30, 2, 1, false",
			"1, 20, 6, true", "5, 5, 2, true", "30, 2, 1, true" })
	void noGoodOrderBecomesADeadLetterAtAnyRate(double ordersPerSecond, int allSeeds, int seedsInTheGate,
			boolean rejects) {
		int seeds = FULL ? allSeeds : seedsInTheGate;
		int failedInOutages = 0;
		int buried = 0;
		for (int seed = 0; seed < seeds; seed++) {
			Simulation simulation = new Simulation(seed);
			simulation.rejects = rejects;
			simulation.drawOutages(Duration.ofMinutes(20));
			simulation.drawOrders(Duration.ofMinutes(20), ordersPerSecond, 0.02);
			simulation.run(Duration.ofMinutes(30));

			assertThat(simulation.buried).as("seed %s", seed).filteredOn((order) -> !order.poisonous).isEmpty();
			assertThat(simulation.unsaved()).as("seed %s", seed).isEmpty();
			failedInOutages += simulation.failedInOutages;
			buried += simulation.buried.size();
		}
		assertThat(failedInOutages).isPositive();
		if (ordersPerSecond >= 5) {
			assertThat(buried).as("poisonous orders that were detected").isPositive();
		}
	}

	@ParameterizedTest
	@CsvSource({ "1, false", "2, false", "5, false", "2, true", "5, true" })
	void fewOrdersOutliveALongOutage(int few, boolean rejects) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed);
			simulation.rejects = rejects;
			simulation.outage(Duration.ofSeconds(10), Duration.ofHours(3));
			for (int i = 0; i < 100; i++) {
				simulation.order(Duration.ofMillis(50L * i), false);
			}
			for (int i = 0; i < few; i++) {
				simulation.order(Duration.ofSeconds(15).plusMillis(i), false);
			}
			simulation.run(Duration.ofHours(4));

			assertThat(simulation.buried).isEmpty();
			assertThat(simulation.unsaved()).isEmpty();
			assertThat(simulation.failedInOutages).isGreaterThan(MAX_ATTEMPTS * few);
		}
	}

	@Test
	void aBackendThatComesAndGoesBuriesNothing() {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed);
			// The backend is down for three quarters of the time, so 10 % of the orders
			// (0.75 to the power of 8) fail eight times.
			for (int i = 0; i < 500; i++) {
				simulation.outage(Duration.ofSeconds(4L * i + 1), Duration.ofSeconds(4L * i + 4));
			}
			simulation.drawOrders(Duration.ofMinutes(30), 1, 0);
			simulation.run(Duration.ofMinutes(60));

			assertThat(simulation.buried).isEmpty();
			assertThat(simulation.unsaved()).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "2", "20" })
	void aPoisonousOrderAmongGoodOnesIsBuriedAfterItsAttempts(double ordersPerSecond) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed);
			simulation.drawOrders(Duration.ofMinutes(30), ordersPerSecond, 0);
			SimulatedOrder poisonous = simulation.order(Duration.ofSeconds(30), true);
			simulation.run(Duration.ofMinutes(30));

			assertThat(simulation.buried).as("seed %s", seed).containsExactly(poisonous);
			assertThat(poisonous.attempts).isGreaterThanOrEqualTo(MAX_ATTEMPTS);
		}
	}

	@Test
	void aPoisonousOrderAloneIsTriedForEver() {
		Simulation simulation = new Simulation(1);
		SimulatedOrder poisonous = simulation.order(Duration.ZERO, true);

		simulation.run(Duration.ofHours(24));

		assertThat(simulation.buried).isEmpty();
		assertThat(poisonous.attempts).as("every half minute at least").isGreaterThan(24 * 60);
	}

	@Test
	void aRejectedOrderIsBuriedSoonAmongGoodOnesAndAfterItsAttemptsAlone() {
		Simulation simulation = new Simulation(1);
		simulation.rejects = true;
		simulation.drawOrders(Duration.ofMinutes(1), 5, 0);
		SimulatedOrder among = simulation.order(Duration.ofSeconds(30), true);
		SimulatedOrder alone = simulation.order(Duration.ofHours(1), true);
		simulation.run(Duration.ofHours(2));

		assertThat(simulation.buried).containsExactly(among, alone);
		assertThat(among.attempts).isLessThan(MAX_ATTEMPTS);
		assertThat(alone.attempts).isEqualTo(MAX_ATTEMPTS);
	}

	/**
	 * Only the first is alone: from then on, nothing shows that the backend saves others.
	 */
	@Test
	void aBackendThatRejectsEverythingBuriesOneOrderAtMost() {
		for (int seed = 0; seed < SEEDS; seed++) {
			Simulation simulation = new Simulation(seed);
			simulation.rejects = true;
			simulation.outage(Duration.ZERO, Duration.ofHours(12));
			for (int i = 0; i < 20; i++) {
				simulation.order(Duration.ofMinutes(30L * i), false);
			}
			simulation.run(Duration.ofHours(13));

			assertThat(simulation.buried).hasSize(1);
			assertThat(simulation.unsaved()).hasSize(1);
		}
	}

	private static final class SimulatedOrder {

		private final boolean poisonous;

		private final RetryBudget budget;

		private int attempts;

		private boolean saved;

		SimulatedOrder(boolean poisonous, RetryBudget budget) {
			this.poisonous = poisonous;
			this.budget = budget;
		}

		@Override
		public String toString() {
			return "poisonous %s, attempts %s, saved %s".formatted(this.poisonous, this.attempts, this.saved);
		}

	}

	private static final class Simulation {

		private static final FailureReason DOWN = FailureReason.failed(500, "down");

		private static final Attempt REJECTED = new Rejected(FailureReason.refused(400, "400"));

		private final SplittableRandom random;

		private final BackendHealth health;

		private final RetryPolicy retries;

		private final PriorityQueue<Event> events = new PriorityQueue<>(
				Comparator.comparingLong(Event::atNanos).thenComparingLong(Event::number));

		private final List<long[]> outages = new ArrayList<>();

		private final List<SimulatedOrder> orders = new ArrayList<>();

		private final List<SimulatedOrder> buried = new ArrayList<>();

		private final Deque<SimulatedOrder> waiting = new ArrayDeque<>();

		private boolean reserved;

		private long nowNanos;

		private long number;

		private int failedInOutages;

		/** Whether the backend answers 400 where it fails otherwise. */
		private boolean rejects;

		Simulation(long seed) {
			this.random = new SplittableRandom(seed);
			this.health = new BackendHealth(new BackendProperties.Circuit(Duration.ofSeconds(2), Duration.ofSeconds(2)),
					Duration.ofSeconds(1), () -> this.nowNanos);
			this.retries = new RetryPolicy(
					new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30), this.random::nextDouble), MAX_ATTEMPTS,
					Duration.ofMinutes(1), Duration.ZERO);
		}

		/**
		 * Draws outages, each longer than two links of a run: 2 x (1 s and the time of an
		 * answer).
		 */
		void drawOutages(Duration until) {
			Duration at = Duration.ofSeconds(this.random.nextInt(60));
			while (at.compareTo(until) < 0) {
				Duration end = at.plusMillis(2_500 + this.random.nextInt(1 << this.random.nextInt(1, 18)));
				outage(at, end);
				at = end.plusMillis(500 + this.random.nextInt(120_000));
			}
		}

		void outage(Duration from, Duration to) {
			this.outages.add(new long[] { from.toNanos(), to.toNanos() });
		}

		void drawOrders(Duration until, double perSecond, double poisonous) {
			double seconds = 0;
			while (seconds < until.toSeconds()) {
				order(Duration.ofNanos((long) (seconds * 1e9)), this.random.nextDouble() < poisonous);
				seconds += -Math.log(1 - this.random.nextDouble()) / perSecond;
			}
		}

		SimulatedOrder order(Duration at, boolean poisonous) {
			SimulatedOrder order = new SimulatedOrder(poisonous, this.health.budget(MAX_ATTEMPTS));
			this.orders.add(order);
			at(at.toNanos(), () -> pass(order));
			return order;
		}

		void run(Duration length) {
			while (!this.events.isEmpty() && this.events.peek().atNanos() <= length.toNanos()) {
				Event event = this.events.poll();
				this.nowNanos = event.atNanos();
				event.task().run();
			}
		}

		List<SimulatedOrder> unsaved() {
			return this.orders.stream().filter((order) -> !order.poisonous && !order.saved).toList();
		}

		private void at(long nanos, Runnable task) {
			this.events.add(new Event(nanos, this.number++, task));
		}

		private void later(Duration wait, Runnable task) {
			at(this.nowNanos + wait.toNanos(), task);
		}

		private void pass(SimulatedOrder order) {
			this.waiting.add(order);
			admit();
		}

		/** One order waits until it may be tried, and the others behind it. */
		private void admit() {
			while (!this.reserved && !this.waiting.isEmpty()) {
				Duration wait = this.health.reserve(1);
				if (wait.isZero()) {
					begin(this.waiting.remove());
				}
				else {
					this.reserved = true;
					later(wait, () -> {
						this.reserved = false;
						begin(this.waiting.remove());
						admit();
					});
				}
			}
		}

		private void begin(SimulatedOrder order) {
			long beganNanos = this.nowNanos;
			long tookNanos = this.random.nextLong(1_000_000, 50_000_000);
			boolean down = isDown(beganNanos + this.random.nextLong(tookNanos));
			boolean throttled = !down && this.random.nextInt(10) == 0;
			order.attempts++;
			at(beganNanos + tookNanos, () -> end(order, beganNanos, down, throttled));
		}

		private void end(SimulatedOrder order, long beganNanos, boolean down, boolean throttled) {
			if (throttled) {
				Throttled attempt = new Throttled(FailureReason.throttled("429"), Duration.ofSeconds(1));
				this.health.attempted(attempt, beganNanos);
				later(this.retries.after(attempt, 1), () -> pass(order));
			}
			else if (down || order.poisonous) {
				this.failedInOutages += down ? 1 : 0;
				if (this.rejects) {
					order.budget.rejected(this.health.attempted(REJECTED, beganNanos));
				}
				else {
					order.budget.failed(this.health.attempted(new RetryLater(DOWN, Reach.ANSWERED), beganNanos));
				}
				later(this.retries.backoff().after(order.attempts), () -> again(order));
			}
			else {
				this.health.attempted(new Saved(null), beganNanos);
				order.saved = true;
			}
		}

		private void again(SimulatedOrder order) {
			if (order.budget.isSpent()) {
				this.buried.add(order);
			}
			else {
				pass(order);
			}
		}

		private boolean isDown(long nanos) {
			return this.outages.stream().anyMatch((outage) -> outage[0] <= nanos && nanos < outage[1]);
		}

		private record Event(long atNanos, long number, Runnable task) {
		}

	}

}
