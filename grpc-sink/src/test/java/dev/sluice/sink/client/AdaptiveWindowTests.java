package dev.sluice.sink.client;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** Simulates a sink with a given latency and rate. */
class AdaptiveWindowTests {

	private static final int CAPACITY = 10_000;

	private static final int BATCH = 10;

	/** Some 67 ms; a power of two, so that the rates are exact. */
	private static final long ROUND = 1L << 26;

	private final AdaptiveWindow window = new AdaptiveWindow(CAPACITY);

	private final Deque<Flying> flying = new ArrayDeque<>();

	/** Not zero, as the clock of a process. */
	private long now = TimeUnit.HOURS.toNanos(1);

	private long freeAt;

	private record Flying(AdaptiveWindow.Flight flight, long ackAt) {
	}

	@Test
	void growsUntilALatencyThatNothingElseLimitsIsHidden() {
		run(5, 150, 10_000);

		assertThat(this.window.size()).as("10,000/s x 0.15 s are in flight at once, and as much again")
			.isBetween(1_500, 5_000);
	}

	@Test
	void keepsTheQueueShortWhereTheRateIsTheLimit() {
		run(5, 10, 1_000);

		assertThat(this.window.size()).as("1,000/s x 11 ms fit").isBetween(16, 60);
		assertThat(run(5, 10, 1_000)).as("of 1,000/s").isGreaterThan(950);
	}

	@Test
	void followsTheSinkWhenItGetsSlower() {
		run(5, 100, 20_000);
		int before = this.window.size();

		run(30, 100, 1_000);

		assertThat(before).isGreaterThan(2_000);
		assertThat(this.window.size()).isLessThan(500);
	}

	@Test
	void followsTheSinkWhenItGetsFaster() {
		run(20, 100, 1_000);
		assertThat(this.window.size()).isLessThan(500);

		run(20, 100, 10_000);

		assertThat(this.window.size()).isGreaterThan(1_000);
	}

	@Test
	void followsALatencyThatGrowsAndOneThatFalls() {
		run(10, 10, 5_000);
		run(30, 100, 5_000);
		assertThat(run(10, 100, 5_000)).as("of 5,000/s").isGreaterThan(4_500);
		assertThat(this.window.size()).isLessThan(2_500);

		run(30, 10, 5_000);
		assertThat(this.window.size()).isLessThan(300);
	}

	@Test
	void givesMoreToASinkThatIsFasterForIt() {
		runInBatches(5);

		assertThat(runInBatches(5)).as("of 100,000/s at most, 58,000/s with twice the product").isGreaterThan(70_000);
		assertThat(this.window.size()).isLessThan(5_000);
	}

	@Test
	void givesNoMoreToASinkThatIsFasterByChance() {
		assertThat(sizeBeforeAnUnsteadySink(60)).as("100 a batch, and as many again, are enough")
			.isBetween(100.0, 500.0);
	}

	@Test
	void keepsItsSizeWhenTheSinkIsSlowForASecond() {
		run(5, 100, 20_000);
		int before = this.window.size();

		run(1, 100, 1_000);

		assertThat(this.window.size()).isGreaterThan(before / 2);
	}

	@Test
	void keepsGrowingAtTheStartWhileTheApplicationHasLittleToSend() {
		for (int i = 0; i < 200; i++) {
			AdaptiveWindow.Flight flight = this.window.sent(this.now, 0, true);
			this.now += TimeUnit.MILLISECONDS.toNanos(10);
			this.window.acked(flight, this.now, 1);
		}

		assertThat(this.window.size()).as("a burst is not held up").isGreaterThan(100);
	}

	@Test
	void halvesOnceARoundWhenMessagesAreLost() {
		run(5, 100, 20_000);
		int before = this.window.size();

		for (int i = 0; i < 50; i++) {
			this.window.lost();
		}

		assertThat(this.window.size()).isBetween(before / 3, before * 2 / 3);
	}

	@Test
	void neverLeavesItsBounds() {
		AdaptiveWindow small = new AdaptiveWindow(3);

		assertThat(small.size()).isEqualTo(3);
		assertThat(this.window.size()).isEqualTo(AdaptiveWindow.LEAST);
		run(10, 1_000, 1_000_000);
		assertThat(this.window.size()).isLessThanOrEqualTo(CAPACITY);
	}

	@Test
	void remembersTheHighestRateWhileTheApplicationHasLittleToSend() {
		rounds(5, 100);
		for (int i = 0; i < 30; i++) {
			round(20, 1, true);
		}

		assertThat(this.window.size()).isEqualTo(2 * 100 + BATCH);
		assertThat(rounds(9, 20)).containsOnly(2 * 100 + BATCH);
		assertThat(rounds(1, 20)).containsOnly(2 * 20 + BATCH);
	}

	@Test
	void countsNoTimeInWhichNothingIsInFlight() {
		for (int i = 0; i < 10; i++) {
			round(1, 70, false);
			this.now += 10 * ROUND;
		}

		assertThat(this.window.size()).isEqualTo(2 * 1 + 70);
	}

	/** The sizes after rounds of so many messages. */
	private List<Integer> rounds(int rounds, int messages) {
		List<Integer> sizes = new ArrayList<>();
		for (int i = 0; i < rounds; i++) {
			round(messages, BATCH, false);
			sizes.add(this.window.size());
		}
		return sizes;
	}

	/** Sends messages, all of which are acknowledged after the same time. */
	private void round(int messages, int batch, boolean scarce) {
		List<AdaptiveWindow.Flight> flights = new ArrayList<>();
		for (int i = 0; i < messages; i++) {
			flights.add(this.window.sent(this.now, i, scarce));
		}
		this.now += ROUND;
		flights.forEach((flight) -> this.window.acked(flight, this.now, batch));
	}

	/**
	 * Sends as much as the window allows. An acknowledgement comes after the latency, and
	 * at least 1 / rate after the previous one.
	 * @return acknowledgements per second
	 */
	private double run(int seconds, long latencyMillis, int perSecond) {
		long end = this.now + TimeUnit.SECONDS.toNanos(seconds);
		long apart = TimeUnit.SECONDS.toNanos(1) / perSecond;
		long acked = 0;
		while (this.now < end) {
			while (this.flying.size() < this.window.size()) {
				this.freeAt = Math.max(this.freeAt, this.now) + apart;
				this.flying.add(new Flying(this.window.sent(this.now, this.flying.size(), false),
						this.freeAt + TimeUnit.MILLISECONDS.toNanos(latencyMillis)));
			}
			Flying next = this.flying.remove();
			this.now = Math.max(this.now, next.ackAt());
			this.window.acked(next.flight(), this.now, 1);
			acked++;
		}
		return (double) acked / seconds;
	}

	/**
	 * Sends as much as the window allows to a sink that takes 5 ms for a batch, and 10 µs
	 * for each message in it.
	 * @return acknowledgements per second
	 */
	private double runInBatches(int seconds) {
		long end = this.now + TimeUnit.SECONDS.toNanos(seconds);
		long acked = 0;
		while (this.now < end) {
			List<AdaptiveWindow.Flight> batch = new ArrayList<>();
			while (batch.size() < this.window.size()) {
				batch.add(this.window.sent(this.now, batch.size(), false));
			}
			this.now += TimeUnit.MILLISECONDS.toNanos(5) + TimeUnit.MICROSECONDS.toNanos(10) * batch.size();
			batch.forEach((flight) -> this.window.acked(flight, this.now, Math.min(100, batch.size())));
			acked += batch.size();
		}
		return (double) acked / seconds;
	}

	/**
	 * Sends as much as the window allows to a sink that stores 100 messages at a time in
	 * irregular times, 3 ms on average, like a sink on a busy machine. More messages in
	 * flight do not help.
	 * @return the average window
	 */
	private double sizeBeforeAnUnsteadySink(int seconds) {
		Random random = new Random(7);
		long end = this.now + TimeUnit.SECONDS.toNanos(seconds);
		Deque<AdaptiveWindow.Flight> queue = new ArrayDeque<>();
		long sizes = 0;
		long batches = 0;
		while (this.now < end) {
			while (queue.size() < this.window.size()) {
				queue.add(this.window.sent(this.now, queue.size(), false));
			}
			this.now += TimeUnit.MICROSECONDS.toNanos(500) + (long) (-2_500_000 * Math.log(1 - random.nextDouble()));
			int batch = Math.min(100, queue.size());
			for (int i = 0; i < batch; i++) {
				this.window.acked(queue.remove(), this.now, batch);
			}
			sizes += this.window.size();
			batches++;
		}
		return (double) sizes / batches;
	}

}
