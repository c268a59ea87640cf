package dev.sluice.sink.client;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.IntToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.sink.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

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

	/** Runs last for a time, with a latency and a rate; numbers are bounds. */
	private final Script script = new Script()
		.word("run",
				(how) -> this.rate = run(Script.time(how.get(0)), Script.time(how.get(1)),
						Integer.parseInt(how.get(2))))
		// 5 ms for a batch and 10 µs for each message.
		.word("batches",
				(time) -> this.rate = batches(Script.time(time.getFirst()), CAPACITY,
						(size) -> 5_000_000 + 10_000L * size))
		// Irregular times, 3 ms on average, like a sink on a busy machine.
		.word("unsteady", (time) -> {
			Random random = new Random(7);
			batches(Script.time(time.getFirst()), 100,
					(_) -> 500_000 + (long) (-2_500_000 * Math.log(1 - random.nextDouble())));
		})
		.word("average", (bounds) -> assertBetween(this.average, bounds))
		.word("trickle", this::trickle)
		.word("lost",
				(times) -> IntStream.range(0, Integer.parseInt(times.getFirst())).forEach((_) -> this.window.lost()))
		.word("size", (bounds) -> {
			this.size = this.window.size();
			assertBetween(this.size, bounds);
		})
		.word("of-it", (bounds) -> assertBetween(this.window.size() / this.size, bounds))
		.word("rate", (bounds) -> assertBetween(this.rate, bounds));

	/** The window when it was last looked at. */
	private double size;

	/** Of the windows in the last step with batches. */
	private double average;

	/** Acknowledgements per second in the last step. */
	private double rate;

	private static void assertBetween(double actual, List<String> bounds) {
		assertThat(actual).isBetween(Double.valueOf(bounds.get(0)), Double.valueOf(bounds.get(1)));
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void follows(String what, String steps) {
		this.script.play(steps);
	}

	static Stream<Arguments> follows() {
		return Script.scenarios("""
				grows until a latency is hidden that nothing else limits: 1,500 are in flight at once, and as much again
					size 16 16; run 5s 150ms 10000; size 1500 5000
				keeps the queue short where the rate is the limit: 11 fit
					run 5s 10ms 1000; size 16 60; run 5s 10ms 1000; rate 950 1000
				follows the sink when it gets slower
					run 5s 100ms 20000; size 2000 10000; run 30s 100ms 1000; size 16 500
				follows the sink when it gets faster
					run 20s 100ms 1000; size 16 500; run 20s 100ms 10000; size 1000 10000
				follows a latency that grows and one that falls
					run 10s 10ms 5000; run 30s 100ms 5000; run 10s 100ms 5000; rate 4500 5000; size 16 2500
					run 30s 10ms 5000; size 16 300
				gives more to a sink that is faster for it: of 100,000 a second at most, 58,000 with twice the product
					batches 5s; batches 5s; rate 70000 100000; size 16 5000
				gives no more to a sink that is faster by chance: 100 a batch, and as many again, are enough
					unsteady 60s; average 100 500
				keeps its size when the sink is slow for a second
					run 5s 100ms 20000; size 2000 10000; run 1s 100ms 1000; of-it 0.5 1
				halves when a message is lost
					run 5s 100ms 20000; size 2000 10000; lost 1; of-it 0.33 0.67
				keeps growing at the start while the application has little to send, so that a burst is not held up
					trickle 200 10ms; size 100 10000
				never leaves its bounds
					run 10s 1s 1000000; size 16 10000
				""");
	}

	/** Sends one message at a time. */
	private void trickle(List<String> how) {
		for (int i = Integer.parseInt(how.get(0)); i > 0; i--) {
			AdaptiveWindow.Flight flight = this.window.sent(this.now, 0, true);
			this.now += Script.time(how.get(1)).toNanos();
			this.window.acked(flight, this.now, 1);
		}
	}

	@Test
	void isNoLargerThanItsMaximum() {
		assertThat(new AdaptiveWindow(3).size()).isEqualTo(3);
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
	private double run(Duration time, Duration latency, int perSecond) {
		long end = this.now + time.toNanos();
		long apart = TimeUnit.SECONDS.toNanos(1) / perSecond;
		long acked = 0;
		while (this.now < end) {
			while (this.flying.size() < this.window.size()) {
				this.freeAt = Math.max(this.freeAt, this.now) + apart;
				this.flying.add(new Flying(this.window.sent(this.now, this.flying.size(), false),
						this.freeAt + latency.toNanos()));
			}
			Flying next = this.flying.remove();
			this.now = Math.max(this.now, next.ackAt());
			this.window.acked(next.flight(), this.now, 1);
			acked++;
		}
		return (double) acked / time.toSeconds();
	}

	/**
	 * Sends as much as the window allows to a sink that takes a batch at a time.
	 * @return acknowledgements per second
	 */
	private double batches(Duration time, int most, IntToLongFunction nanosOf) {
		long end = this.now + time.toNanos();
		Deque<AdaptiveWindow.Flight> queue = new ArrayDeque<>();
		long acked = 0;
		long sizes = 0;
		long batches = 0;
		while (this.now < end) {
			while (queue.size() < this.window.size()) {
				queue.add(this.window.sent(this.now, queue.size(), false));
			}
			int batch = Math.min(most, queue.size());
			this.now += nanosOf.applyAsLong(batch);
			for (int i = 0; i < batch; i++) {
				this.window.acked(queue.remove(), this.now, Math.min(100, batch));
			}
			acked += batch;
			sizes += this.window.size();
			batches++;
		}
		this.average = (double) sizes / batches;
		return (double) acked / time.toSeconds();
	}

}
