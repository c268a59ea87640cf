package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.config.Circuits;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
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

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	@Test
	void hasNoMoreCallsInFlightThanItsMaximum() {
		BackendLimit limit = new BackendLimit(1, TIMEOUT, System::nanoTime);
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

	@Test
	void isBackSoonAfterAnOutageInWhichTheBackendWasFrozen() {
		Simulation simulation = new Simulation(500, 1_000);
		simulation.workers = 0;
		simulation.queue = Integer.MAX_VALUE;
		simulation.run(TIMEOUT.multipliedBy(3));
		assertThat(simulation.limit.current()).isOne();

		simulation.waiting.clear();
		simulation.workers = 1_000;
		simulation.run(Duration.ofSeconds(4));

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

	/**
	 * Such a backend also works for clients that have given up: first for the thousand
	 * that were let in before one of them had waited for too long.
	 */
	@ParameterizedTest
	@CsvSource({ "1, 1", "1, 4", "4, 1", "4, 4" })
	void keepsABackendAtWorkThatAnswersTooLate(int workers, int gateways) {
		Simulation simulation = new Simulation(1_500, 1_000, gateways);
		simulation.workers = workers;
		simulation.queue = Integer.MAX_VALUE;
		simulation.pauseMicros = 1_000_000;
		simulation.run(Duration.ofMinutes(5));
		int first = simulation.saved;

		simulation.run(Duration.ofMinutes(10));

		assertThat((simulation.saved - first) / (workers / 0.05 * 600)).as("share of the backend's rate")
			.isGreaterThan(0.9);
	}

	@Test
	void doesNotChangeForAnswersThatSayNothingAboutTheLoad() {
		BackendLimit limit = new BackendLimit(10, TIMEOUT, System::nanoTime);

		for (BackendResult result : new BackendResult[] { new BackendResult.Refused(500),
				new BackendResult.TimedOut(TIMEOUT.minusMillis(1)), new BackendResult.Unreachable(),
				new BackendResult.Refused(200), BackendResult.CIRCUIT_OPEN }) {
			try (BackendLimit.Call call = limit.begin()) {
				call.ended(result);
			}
		}
		limit.begin().close();

		assertThat(limit.current()).isEqualTo(10);
		assertThat(limit.inFlight()).isZero();
	}

	private static final class Simulation {

		private final List<Gateway> gateways;

		final BackendLimit limit;

		private final PriorityQueue<Event> events = new PriorityQueue<>(
				Comparator.comparingLong(Event::atMicros).thenComparingLong(Event::number));

		private final Queue<Exchange> waiting = new ArrayDeque<>();

		private final SplittableRandom random = new SplittableRandom(1);

		private long nowMicros;

		private long number;

		private int workers;

		private int queue;

		private long pauseMicros = 10_000;

		private int perSecond = Integer.MAX_VALUE;

		private double tokens;

		private long tokensAtMicros;

		private double busyShare;

		private int working;

		private int saved;

		private int busy;

		private int refused;

		Simulation(int clients, int max) {
			this(clients, max, 1);
		}

		Simulation(int clients, int max, int gateways) {
			this.gateways = Stream
				.generate(() -> new Gateway(new BackendLimit(max, TIMEOUT, () -> this.nowMicros * 1_000), circuit()))
				.limit(gateways)
				.toList();
			this.limit = this.gateways.getFirst().limit();
			for (int i = 0; i < clients; i++) {
				Gateway gateway = this.gateways.get(i % gateways);
				after(this.random.nextInt(10_000), () -> place(gateway));
			}
		}

		private CircuitBreaker circuit() {
			InstantSource clock = () -> Instant.EPOCH.plus(this.nowMicros, ChronoUnit.MICROS);
			return CircuitBreaker.of("backend",
					Circuits.config(TIMEOUT)
						.clock(clock.withZone(ZoneOffset.UTC))
						.currentTimestampFunction((_) -> this.nowMicros, TimeUnit.MICROSECONDS)
						.recordResult((result) -> ((BackendResult) result).isFailure())
						.build());
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

		private void place(Gateway gateway) {
			BackendLimit.Call call = gateway.limit().begin();
			if (call == null) {
				this.refused++;
				after(this.pauseMicros, () -> place(gateway));
				return;
			}
			Exchange exchange = new Exchange(gateway, call);
			if (!gateway.circuit().tryAcquirePermission()) {
				end(exchange, BackendResult.CIRCUIT_OPEN);
			}
			else if (!takes()) {
				this.busy++;
				after(1_000, () -> end(exchange, BUSY));
			}
			else {
				after(TIMEOUT.toNanos() / 1_000, () -> end(exchange, new BackendResult.TimedOut(TIMEOUT)));
				this.waiting.add(exchange);
				work();
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

		private void work() {
			while (this.working < this.workers && !this.waiting.isEmpty()) {
				Exchange exchange = this.waiting.remove();
				this.working++;
				after(50_000, () -> {
					this.working--;
					this.saved += exchange.ended ? 0 : 1;
					end(exchange, SAVED);
					work();
				});
			}
		}

		private void end(Exchange exchange, BackendResult result) {
			if (exchange.ended) {
				return;
			}
			exchange.ended = true;
			if (!(result instanceof BackendResult.NotCalled)) {
				exchange.gateway.circuit().onResult(0, TimeUnit.MICROSECONDS, result);
			}
			exchange.call.ended(result);
			exchange.call.close();
			after(this.pauseMicros, () -> place(exchange.gateway));
		}

		private record Event(long atMicros, long number, Runnable task) {
		}

		private record Gateway(BackendLimit limit, CircuitBreaker circuit) {
		}

		private static final class Exchange {

			private final Gateway gateway;

			private final BackendLimit.Call call;

			private boolean ended;

			Exchange(Gateway gateway, BackendLimit.Call call) {
				this.gateway = gateway;
				this.call = call;
			}

		}

	}

}
