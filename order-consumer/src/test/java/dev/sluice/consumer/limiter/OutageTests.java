package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.consumer.Quiet;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.FailureReason;
import dev.sluice.consumer.limiter.DeliverySimulator.Answer;
import dev.sluice.consumer.limiter.DeliverySimulator.SimulatedOrder;
import dev.sluice.sink.Script;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

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

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follow(String what, String steps) {
		for (int seed = 0; seed < SEEDS; seed++) {
			new Outages(seed, false).script().play(steps);
		}
	}

	/**
	 * Times are those of the simulation; {@code orders} come one after another, and
	 * {@code random} ones at a rate until a time. A backend that rejects does so where it
	 * would fail otherwise.
	 */
	static Stream<Arguments> follow() {
		return Script.scenarios("""
				one order outlives a long outage
					outage 10s 3h; orders 100 0s 50ms; orders 1 15s 1ms; run 4h; is buried=0 unsaved=0; failed 9
				a few orders outlive a long outage
					outage 10s 3h; orders 100 0s 50ms; orders 5 15s 1ms; run 4h; is buried=0 unsaved=0; failed 41
				two orders outlive a backend that rejects everything for long
					rejects; outage 10s 3h; orders 100 0s 50ms; orders 2 15s 1ms; run 4h; is buried=0 unsaved=0
					failed 17
				a few orders outlive a backend that rejects everything for long
					rejects; outage 10s 3h; orders 100 0s 50ms; orders 5 15s 1ms; run 4h; is buried=0 unsaved=0
					failed 41
				a backend that is down for 3 of 4 s buries nothing, though 10 % of the orders fail eight times
					comes-and-goes 500; random 30m 1; run 60m; is buried=0 unsaved=0
				a poisonous order among few others is buried after its attempts
					random 30m 2; poison 30s; run 30m; is buried=1 poisonous=1; attempts 8 1000
				a poisonous order among many others is buried after its attempts
					random 30m 20; poison 30s; run 30m; is buried=1 poisonous=1; attempts 8 1000
				a poisonous order alone is tried for ever, every half minute at least
					poison 0s; run 24h; is buried=0; attempts 1441 100000
				a rejected order is buried soon among others
					rejects; random 1m 5; poison 30s; run 2h; is buried=1 unsaved=0; attempts 1 7
				a rejected order is buried after its attempts alone
					rejects; poison 1h; run 2h; is buried=1 unsaved=0; attempts 8 8
				a backend that rejects everything buries one order at most: only the first is alone
					rejects; outage 0s 12h; orders 20 0s 30m; run 13h; is buried=1 unsaved=1
				""");
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
		private boolean rejects;

		private int failed;

		Outages(long seed, boolean rejects) {
			this.delivery = new DeliverySimulator(seed, 1_000);
			this.delivery.backend = this::attempt;
			this.rejects = rejects;
		}

		Script script() {
			return new Script().word("rejects", (_) -> this.rejects = true)
				.word("outage", (times) -> add(Script.time(times.getFirst()), Script.time(times.getLast())))
				.word("comes-and-goes",
						(times) -> IntStream.range(0, Integer.parseInt(times.getFirst()))
							.forEach((i) -> add(Duration.ofSeconds(4L * i + 1), Duration.ofSeconds(4L * i + 4))))
				.word("orders",
						(how) -> IntStream.range(0, Integer.parseInt(how.getFirst()))
							.forEach((i) -> order(
									Script.time(how.get(1)).plus(Script.time(how.getLast()).multipliedBy(i)), false)))
				.word("random", (how) -> drawOrders(Script.time(how.getFirst()), Integer.parseInt(how.getLast()), 0))
				.word("poison", (at) -> order(Script.time(at.getFirst()), true))
				.word("run", (until) -> this.delivery.run(Script.time(until.getFirst())))
				.word("failed",
						(atLeast) -> assertThat(this.failed)
							.isGreaterThanOrEqualTo(Integer.parseInt(atLeast.getFirst())))
				.word("attempts",
						(bounds) -> assertThat(this.orders.getLast().attempts)
							.isBetween(Integer.valueOf(bounds.getFirst()), Integer.valueOf(bounds.getLast())))
				.is(() -> "buried=%s poisonous=%s unsaved=%s".formatted(this.delivery.buried.size(),
						this.delivery.buried.stream().filter((order) -> order.poisonous).count(), unsaved().size()));
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
