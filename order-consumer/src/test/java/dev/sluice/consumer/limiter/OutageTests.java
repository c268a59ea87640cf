package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.consumer.Quiet;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.limiter.DeliverySimulator.Answer;
import dev.sluice.consumer.limiter.DeliverySimulator.SimulatedOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * No order becomes a dead letter because of a failure that all orders had at that time,
 * whatever the rate. Orders and outages come at random times.
 */
@ExtendWith(Quiet.class)
class OutageTests {

	private static final boolean FULL = Boolean.getBoolean("sluice.full");

	private static final int SEEDS = FULL ? 10 : 3;

	@ParameterizedTest
	@CsvSource({ "0.02, 100, 30, false", "0.2, 50, 15, false", "1, 20, 6, false", "5, 5, 2, false", "30, 2, 1, false",
			"1, 20, 6, true", "5, 5, 2, true", "30, 2, 1, true" })
	void noGoodOrderBecomesADeadLetterAtAnyRate(double ordersPerSecond, int allSeeds, int seedsInTheGate,
			boolean rejects) {
		int seeds = FULL ? allSeeds : seedsInTheGate;
		int failedInOutages = 0;
		int buried = 0;
		for (int seed = 0; seed < seeds; seed++) {
			Outages outages = new Outages(seed, rejects);
			outages.draw(Duration.ofMinutes(20));
			outages.drawOrders(Duration.ofMinutes(20), ordersPerSecond, 0.02);
			outages.delivery.run(Duration.ofMinutes(30));

			assertThat(outages.delivery.buried).as("seed %s", seed).filteredOn((order) -> !order.poisonous).isEmpty();
			assertThat(outages.unsaved()).as("seed %s", seed).isEmpty();
			failedInOutages += outages.failed;
			buried += outages.delivery.buried.size();
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
			Outages outages = new Outages(seed, rejects);
			outages.add(Duration.ofSeconds(10), Duration.ofHours(3));
			for (int i = 0; i < 100; i++) {
				outages.order(Duration.ofMillis(50L * i), false);
			}
			for (int i = 0; i < few; i++) {
				outages.order(Duration.ofSeconds(15).plusMillis(i), false);
			}
			outages.delivery.run(Duration.ofHours(4));

			assertThat(outages.delivery.buried).isEmpty();
			assertThat(outages.unsaved()).isEmpty();
			assertThat(outages.failed).isGreaterThan(DeliverySimulator.MAX_ATTEMPTS * few);
		}
	}

	@Test
	void aBackendThatComesAndGoesBuriesNothing() {
		for (int seed = 0; seed < SEEDS; seed++) {
			Outages outages = new Outages(seed, false);
			// The backend is down for three quarters of the time, so 10 % of the orders
			// (0.75 to the power of 8) fail eight times.
			for (int i = 0; i < 500; i++) {
				outages.add(Duration.ofSeconds(4L * i + 1), Duration.ofSeconds(4L * i + 4));
			}
			outages.drawOrders(Duration.ofMinutes(30), 1, 0);
			outages.delivery.run(Duration.ofMinutes(60));

			assertThat(outages.delivery.buried).isEmpty();
			assertThat(outages.unsaved()).isEmpty();
		}
	}

	@ParameterizedTest
	@CsvSource({ "2", "20" })
	void aPoisonousOrderAmongGoodOnesIsBuriedAfterItsAttempts(double ordersPerSecond) {
		for (int seed = 0; seed < SEEDS; seed++) {
			Outages outages = new Outages(seed, false);
			outages.drawOrders(Duration.ofMinutes(30), ordersPerSecond, 0);
			SimulatedOrder poisonous = outages.order(Duration.ofSeconds(30), true);
			outages.delivery.run(Duration.ofMinutes(30));

			assertThat(outages.delivery.buried).as("seed %s", seed).containsExactly(poisonous);
			assertThat(poisonous.attempts).isGreaterThanOrEqualTo(DeliverySimulator.MAX_ATTEMPTS);
		}
	}

	@Test
	void aPoisonousOrderAloneIsTriedForEver() {
		Outages outages = new Outages(1, false);
		SimulatedOrder poisonous = outages.order(Duration.ZERO, true);

		outages.delivery.run(Duration.ofHours(24));

		assertThat(outages.delivery.buried).isEmpty();
		assertThat(poisonous.attempts).as("every half minute at least").isGreaterThan(24 * 60);
	}

	@Test
	void aRejectedOrderIsBuriedSoonAmongGoodOnesAndAfterItsAttemptsAlone() {
		Outages outages = new Outages(1, true);
		outages.drawOrders(Duration.ofMinutes(1), 5, 0);
		SimulatedOrder among = outages.order(Duration.ofSeconds(30), true);
		SimulatedOrder alone = outages.order(Duration.ofHours(1), true);
		outages.delivery.run(Duration.ofHours(2));

		assertThat(outages.delivery.buried).containsExactly(among, alone);
		assertThat(among.attempts).isLessThan(DeliverySimulator.MAX_ATTEMPTS);
		assertThat(alone.attempts).isEqualTo(DeliverySimulator.MAX_ATTEMPTS);
	}

	/**
	 * Only the first is alone: from then on, nothing shows that the backend saves others.
	 */
	@Test
	void aBackendThatRejectsEverythingBuriesOneOrderAtMost() {
		for (int seed = 0; seed < SEEDS; seed++) {
			Outages outages = new Outages(seed, true);
			outages.add(Duration.ZERO, Duration.ofHours(12));
			for (int i = 0; i < 20; i++) {
				outages.order(Duration.ofMinutes(30L * i), false);
			}
			outages.delivery.run(Duration.ofHours(13));

			assertThat(outages.delivery.buried).hasSize(1);
			assertThat(outages.unsaved()).hasSize(1);
		}
	}

	/**
	 * A backend that is down at times, throttles at others, and never saves poisonous
	 * orders.
	 */
	private static final class Outages {

		private static final Throttled THROTTLED = new Throttled(FailureReason.throttled("429"), Duration.ofSeconds(1));

		private final DeliverySimulator delivery;

		private final List<long[]> times = new ArrayList<>();

		private final List<SimulatedOrder> orders = new ArrayList<>();

		/** Whether the backend answers 400 where it fails otherwise. */
		private final boolean rejects;

		private int failed;

		Outages(long seed, boolean rejects) {
			this.delivery = new DeliverySimulator(seed, 1_000);
			this.delivery.backend = this::attempt;
			this.rejects = rejects;
		}

		/**
		 * Each is longer than two links of a run: 2 x (1 s and the time of an answer).
		 */
		void draw(Duration until) {
			Duration at = Duration.ofSeconds(random(60));
			while (at.compareTo(until) < 0) {
				Duration end = at.plusMillis(2_500 + random(1 << this.delivery.random.nextInt(1, 18)));
				add(at, end);
				at = end.plusMillis(500 + random(120_000));
			}
		}

		private int random(int bound) {
			return this.delivery.random.nextInt(bound);
		}

		void add(Duration from, Duration to) {
			this.times.add(new long[] { from.toNanos(), to.toNanos() });
		}

		void drawOrders(Duration until, double perSecond, double poisonous) {
			double seconds = 0;
			while (seconds < until.toSeconds()) {
				order(Duration.ofNanos((long) (seconds * 1e9)), this.delivery.random.nextDouble() < poisonous);
				seconds += -Math.log(1 - this.delivery.random.nextDouble()) / perSecond;
			}
		}

		SimulatedOrder order(Duration at, boolean poisonous) {
			this.orders.add(this.delivery.order(at, poisonous));
			return this.orders.getLast();
		}

		List<SimulatedOrder> unsaved() {
			return this.orders.stream().filter((order) -> !order.poisonous && !order.saved).toList();
		}

		private void attempt(SimulatedOrder order, Answer answer) {
			int tookNanos = 1_000_000 + random(49_000_000);
			long atNanos = this.delivery.nowNanos + random(tookNanos);
			boolean down = this.times.stream().anyMatch((time) -> time[0] <= atNanos && atNanos < time[1]);
			this.failed += down ? 1 : 0;
			if (!down && random(10) == 0) {
				answer.after(Duration.ofNanos(tookNanos), THROTTLED);
			}
			else if (down || order.poisonous) {
				answer.after(Duration.ofNanos(tookNanos),
						this.rejects ? DeliverySimulator.REJECTED : DeliverySimulator.FAILED);
			}
			else {
				answer.after(Duration.ofNanos(tookNanos), DeliverySimulator.SAVED);
			}
		}

	}

}
