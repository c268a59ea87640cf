package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;

import dev.sluice.contract.SavedOrder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The limit follows what the backend takes. In the simulation, clients repeat their order
 * 10 ms after each answer, and the backend takes 50 ms for an order, or 1 ms to refuse
 * it.
 */
class BackendLimitTests {

	private static final BackendResult SAVED = new BackendResult.Saved(
			new SavedOrder(UUID.fromString("019ab000-0000-7000-8000-000000000001"), Instant.EPOCH));

	private static final BackendResult BUSY = new BackendResult.Busy(503, null);

	private static final Duration LENGTH = Duration.ofSeconds(10);

	@Test
	void hasNoMoreCallsInFlightThanItsMaximum() {
		BackendLimit limit = new BackendLimit(1);
		BackendLimit.Call call = limit.begin();

		assertThat(limit.begin()).isNull();
		call.close();
		assertThat(limit.begin()).isNotNull();
	}

	@ParameterizedTest
	@CsvSource({ "20, 200, 1500", "20, 0, 1500", "2, 10, 1500", "20, 200, 230", "500, 100, 1500" })
	void keepsAnOverloadedBackendAtWork(int workers, int queue, int clients) {
		Simulation simulation = new Simulation(clients, 1_000);
		simulation.workers = workers;
		simulation.queue = queue;

		simulation.run(LENGTH);
		int saved = simulation.saved;
		int first = simulation.busy;
		simulation.run(LENGTH);

		assertThat(saved / (workers / 0.05 * LENGTH.toSeconds())).as("share of the backend's rate").isGreaterThan(0.95);
		assertThat((simulation.busy - first) / (double) (simulation.saved - saved))
			.as("refused by the backend, for each saved, when the limit is found")
			.isLessThan((queue > 0) ? 0.25 : 1);
	}

	@Test
	void followsABackendThatGrowsAndShrinks() {
		Simulation simulation = new Simulation(1_500, 1_000);
		simulation.workers = 20;
		simulation.queue = 50;
		simulation.run(LENGTH);
		int small = simulation.saved;
		simulation.workers = 80;
		simulation.run(LENGTH);
		int large = simulation.saved - small;
		simulation.workers = 20;
		simulation.run(LENGTH);

		assertThat(large / (1_600.0 * LENGTH.toSeconds())).isGreaterThan(0.9);
		assertThat((simulation.saved - large - small) / (400.0 * LENGTH.toSeconds())).isGreaterThan(0.95);
	}

	@Test
	void isBackSoonAfterAnOutageInWhichTheBackendWasBusy() {
		Simulation simulation = new Simulation(500, 1_000);
		simulation.workers = 0;
		simulation.run(LENGTH);
		assertThat(simulation.limit.current()).isOne();

		simulation.workers = 1_000;
		simulation.run(Duration.ofSeconds(1));

		assertThat(simulation.limit.current()).isGreaterThan(500);
	}

	@ParameterizedTest
	@ValueSource(ints = { 20, 400 })
	void followsABackendThatThrottlesToARate(int perSecond) {
		Simulation simulation = new Simulation(1_500, 1_000);
		simulation.workers = 1_000;
		simulation.perSecond = perSecond;

		simulation.run(LENGTH);

		assertThat(simulation.saved / (double) (perSecond * LENGTH.toSeconds())).isGreaterThan(0.95);
	}

	/** Such a backend says nothing about its load. */
	@Test
	void takesAFewBusyAnswersForNoOverload() {
		Simulation simulation = new Simulation(20, 1_000);
		simulation.workers = 1_000;
		simulation.busyShare = 0.02;

		simulation.run(LENGTH);

		assertThat(simulation.refused / (double) simulation.saved).as("refused by the gateway, for each saved")
			.isLessThan(0.1);
	}

	@Test
	void doesNotChangeForAnswersThatSayNothingAboutTheLoad() {
		BackendLimit limit = new BackendLimit(10);

		for (BackendResult result : new BackendResult[] { new BackendResult.Refused(500),
				new BackendResult.TimedOut(LENGTH), new BackendResult.Unreachable(), new BackendResult.Unreadable(),
				new BackendResult.CircuitOpen(LENGTH) }) {
			try (BackendLimit.Call call = limit.begin()) {
				call.ended(result);
			}
		}
		limit.begin().close();

		assertThat(limit.current()).isEqualTo(10);
		assertThat(limit.inFlight()).isZero();
	}

	private static final class Simulation {

		final BackendLimit limit;

		private final PriorityQueue<Event> events = new PriorityQueue<>(
				Comparator.comparingLong(Event::atMicros).thenComparingLong(Event::number));

		private final Queue<BackendLimit.Call> waiting = new ArrayDeque<>();

		private final SplittableRandom random = new SplittableRandom(1);

		private long nowMicros;

		private long number;

		private int workers;

		private int queue;

		private int perSecond = Integer.MAX_VALUE;

		private double tokens;

		private long tokensAtMicros;

		private double busyShare;

		private int working;

		private int saved;

		private int busy;

		private int refused;

		Simulation(int clients, int max) {
			this.limit = new BackendLimit(max);
			for (int i = 0; i < clients; i++) {
				after(this.random.nextInt(10_000), this::place);
			}
		}

		void run(Duration length) {
			long untilMicros = this.nowMicros + length.toNanos() / 1_000;
			while (this.events.peek().atMicros() <= untilMicros) {
				Event event = this.events.remove();
				this.nowMicros = event.atMicros();
				event.task().run();
			}
			this.nowMicros = untilMicros;
		}

		private void after(long micros, Runnable task) {
			this.events.add(new Event(this.nowMicros + micros, this.number++, task));
		}

		private void place() {
			BackendLimit.Call call = this.limit.begin();
			if (call == null) {
				this.refused++;
				after(10_000, this::place);
			}
			else if (!takes()) {
				this.busy++;
				after(1_000, () -> end(call, BUSY));
			}
			else if (this.working < this.workers) {
				work(call);
			}
			else {
				this.waiting.add(call);
			}
		}

		private boolean takes() {
			this.tokens = Math.min(this.perSecond / 20.0,
					this.tokens + this.perSecond * (this.nowMicros - this.tokensAtMicros) / 1e6);
			this.tokensAtMicros = this.nowMicros;
			if (this.tokens < 1 || this.random.nextDouble() < this.busyShare
					|| (this.working >= this.workers && this.waiting.size() >= this.queue)) {
				return false;
			}
			this.tokens--;
			return true;
		}

		private void work(BackendLimit.Call call) {
			this.working++;
			after(50_000, () -> {
				this.working--;
				this.saved++;
				end(call, SAVED);
				while (this.working < this.workers && !this.waiting.isEmpty()) {
					work(this.waiting.remove());
				}
			});
		}

		private void end(BackendLimit.Call call, BackendResult result) {
			call.ended(result);
			call.close();
			after(10_000, this::place);
		}

		private record Event(long atMicros, long number, Runnable task) {
		}

	}

}
