package dev.sluice.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.backend.BackendMetrics.Metric;
import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.SavedOrder;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.MonoSink;
import reactor.test.scheduler.VirtualTimeScheduler;

import static org.assertj.core.api.Assertions.assertThat;

class BackendTests {

	private static final UUID ID = new UUID(1, 2);

	private static final UUID OTHER_ID = new UUID(3, 4);

	private final VirtualTimeScheduler loop = VirtualTimeScheduler.create();

	private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

	private final List<Answer> answers = new ArrayList<>();

	private final Backend backend = backend(1_000, 1_000);

	@Test
	void savesAtTheEndOfTheDelay() {
		save(ID, 7);

		this.loop.advanceTimeBy(Duration.ofMillis(50).minusNanos(1));
		assertThat(this.answers).isEmpty();
		assertThat(find(ID)).isNull();
		assertThat(audit()).isEqualTo(new BackendAudit(1, 0, 0, 0, 0, 1, 1, 0, 0, null));

		this.loop.advanceTimeBy(Duration.ofNanos(1));
		Instant savedAt = Instant.parse("1970-01-01T00:00:00.050Z");
		assertThat(this.answers).containsExactly(Answer.saved(new SavedOrder(ID, savedAt)));
		assertThat(find(ID)).isEqualTo(new SavedOrder(ID, savedAt));
		assertThat(audit()).isEqualTo(new BackendAudit(1, 1, 0, 0, 0, 0, 1, 0, 0, savedAt));
	}

	@Test
	void savesToTheMicrosecond() {
		this.loop.advanceTimeBy(Duration.ofNanos(123_456_789));
		save(ID, 7);
		this.loop.advanceTimeBy(Duration.ofMillis(50));

		assertThat(audit().lastSavedAt()).isEqualTo("1970-01-01T00:00:00.173456Z");
	}

	@Test
	void treatsSomeCustomersOtherwise() {
		this.backend.behave(BackendBehaviour.DEFAULT.withSpecials(new Special("slow-", 10_000, 0),
				new Special("refused-", 0, 422)));
		this.backend.save(ID, "slow-1", 7).subscribe(this.answers::add);
		this.backend.save(OTHER_ID, "refused-1", 7).subscribe(this.answers::add);

		this.loop.advanceTimeBy(Duration.ofMillis(50));
		assertThat(this.answers).extracting(Answer::status).containsExactly(422);

		this.loop.advanceTimeBy(Duration.ofMillis(9_950));
		assertThat(this.answers).last().extracting(Answer::status).isEqualTo(201);
		assertThat(find(OTHER_ID)).isNull();
		assertBalanced();
	}

	@Test
	void keepsThePlaceUntilTheStoreHasAnswered() {
		SlowStore store = new SlowStore();
		Backend slow = backend(store, 10);
		slow.behave(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Workers(1, 0)));
		slow.save(ID, "c-1", 7).subscribe(this.answers::add);
		this.loop.advanceTimeBy(Duration.ofMillis(50));

		slow.save(OTHER_ID, "c-1", 7).subscribe(this.answers::add);
		assertThat(this.answers).extracting(Answer::status).containsExactly(503);

		Answer late = Answer.problem(503, "late");
		store.answer(late);
		assertThat(this.answers).last().isEqualTo(late);
		assertThat(slow.orders().audit().block()).extracting(BackendAudit::failed, BackendAudit::inFlight)
			.containsExactly(1L, 0);

		slow.save(OTHER_ID, "c-1", 7).subscribe(this.answers::add);
		this.loop.advanceTimeBy(Duration.ofMillis(50));
		store.answer(Answer.saved(new SavedOrder(OTHER_ID, Instant.EPOCH)));
		assertThat(this.answers).last().extracting(Answer::status).isEqualTo(201);
	}

	@Test
	void refusesBeyondTheGreatestNumberInFlight() {
		Backend small = backend(10, 1);

		small.save(ID, "c-1", 7).subscribe(this.answers::add);
		small.save(OTHER_ID, "c-1", 7).subscribe(this.answers::add);

		assertThat(this.answers).extracting(Answer::status).containsExactly(503);

		this.loop.advanceTimeBy(Duration.ofMillis(50));
		small.save(OTHER_ID, "c-1", 7).subscribe(this.answers::add);
		this.loop.advanceTimeBy(Duration.ofMillis(50));

		assertThat(this.answers).last().extracting(Answer::status).isEqualTo(201);
	}

	/**
	 * Steps: order 1 comes; its client goes, {@code -1}; a request without an order,
	 * {@code delay}; a new behaviour; time passes; {@code =503,closed} are the answers so
	 * far. An order takes 50 ms.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			# A delay without an order takes a place, but not the delay of orders.
			workers      | delay 1 500ms =200 received=1 50ms =200,201
			# An error takes the delay and saves nothing.
			error        | 1 49ms = 1ms =502 saved=0
			# A reset comes at once and frees the place.
			reset        | 1 2 =reset,reset failed=2
			# What hangs holds its place until its client goes.
			hang         | 1 2 3 9999ms =503 -1 -1 failed=1 in-flight=1 -2 failed=2 4 in-flight=1
			# A new behaviour lets go what hangs and what would hang.
			hang         | 1 2 default =closed,closed failed=2 in-flight=0
			# Nothing hangs once the backend stops.
			hang         | 1 stop =closed 2 =closed,closed
			# What waits at a new behaviour finishes under the old one.
			workers      | 1 2 at-once 3 saved=1 50ms saved=2 50ms saved=3
			# A new behaviour brings the starved pool back to its start.
			starved      | 1 2 1000ms workers=2 starved workers=1
			""")
	void behavesAsItIsTold(String behaviour, String steps) {
		Map<String, Disposable> clients = new HashMap<>();
		behave(behaviour);
		for (String step : steps.split(" ")) {
			String[] figure = step.split("=", 2);
			String at = "%s: %s at %s".formatted(behaviour, steps, step);
			if (step.matches("\\d")) {
				clients.put(step,
						this.backend.save(new UUID(0, Long.parseLong(step)), "c-1", 7).subscribe(this.answers::add));
			}
			else if (step.startsWith("-")) {
				clients.get(step.substring(1)).dispose();
			}
			else if (step.endsWith("ms")) {
				this.loop.advanceTimeBy(Duration.ofMillis(Long.parseLong(step.replace("ms", ""))));
			}
			else if (step.startsWith("=")) {
				assertThat(this.answers.stream()
					.map((answer) -> "" + ((answer.status() == 0) ? answer.body() : answer.status()))
					.collect(Collectors.joining(","))).as(at).isEqualTo(figure[1]);
			}
			else if (figure.length == 2) {
				assertThat(figure(figure[0])).as(at).isEqualTo(Long.parseLong(figure[1]));
			}
			else {
				behave(step);
			}
			assertBalanced();
		}
	}

	private void behave(String step) {
		switch (step) {
			case "delay" -> this.backend.delay(500).subscribe(this.answers::add);
			case "stop" -> this.backend.stop();
			case "default" -> this.backend.behave(BackendBehaviour.DEFAULT);
			case "at-once" -> this.backend.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(0)));
			case "error" -> this.backend
				.behave(new BackendBehaviour(new Delay.Fixed(50), 1, 502, 0, 0, 0, new Capacity.Unlimited()));
			case "hang" -> this.backend.behave(behaviour(1, 0, new Capacity.Workers(1, 1)));
			case "reset" -> this.backend.behave(behaviour(0, 1, new Capacity.Workers(1, 0)));
			case "workers" -> this.backend.behave(behaviour(0, 0, new Capacity.Workers(1, 1)));
			case "starved" -> this.backend.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(10_000))
				.withCapacity(new Capacity.Starved(1, 10, 50, 100)));
			default -> throw new IllegalArgumentException(step);
		}
	}

	private long figure(String name) {
		return switch (name) {
			case "received" -> audit().received();
			case "saved" -> saved();
			case "failed" -> audit().failed();
			case "in-flight" -> audit().inFlight();
			default -> this.backend.workers();
		};
	}

	@Test
	void whatWasInFlightAtAResetIsCountedNowhere() {
		save(1);
		this.backend.behave(behaviour(1, 0, new Capacity.Unlimited()));
		save(2);
		this.backend.behave(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Workers(1, 1)));
		save(3);
		save(4);
		this.backend.connect();

		this.backend.reset().block();

		BackendAudit nothing = new BackendAudit(0, 0, 0, 0, 0, 0, 0, 0, 0, null);
		assertThat(audit()).isEqualTo(nothing);
		this.loop.advanceTimeBy(Duration.ofSeconds(1));
		assertThat(this.answers).as("the old ones are answered").hasSize(4);
		assertThat(audit()).isEqualTo(nothing);
		assertThat(find(new UUID(0, 1))).isNull();
	}

	@Test
	void aCapAdmitsASecondsWorthAtOnceAndThenTheRate() {
		capAt(10);

		assertThat(admittedOf(100)).isEqualTo(10);
		this.loop.advanceTimeBy(Duration.ofMillis(500));
		assertThat(admittedOf(100)).isEqualTo(5);
		this.loop.advanceTimeBy(Duration.ofHours(1));
		assertThat(admittedOf(100)).isEqualTo(10);
		assertThat(audit()).extracting(BackendAudit::connectionsOpened, BackendAudit::connectionsRefused)
			.containsExactly(25L, 275L);
	}

	@Test
	void aNewCapHoldsAtOnce() {
		capAt(10);
		admittedOf(100);

		capAt(20);
		assertThat(admittedOf(100)).isEqualTo(20);

		capAt(0);
		assertThat(admittedOf(100)).isEqualTo(100);
	}

	private long admittedOf(int connections) {
		return IntStream.range(0, connections).filter((_) -> this.backend.connect()).count();
	}

	private void capAt(int perSecond) {
		this.backend
			.behave(new BackendBehaviour(new Delay.Fixed(0), 0, 503, 0, 0, perSecond, new Capacity.Unlimited()));
	}

	@Test
	void theAuditBalancesAtAnyTime() {
		SplittableRandom random = new SplittableRandom(7);
		this.backend.behave(new BackendBehaviour(new Delay.LogNormal(20, 200), 0.1, 500, 0.05, 0.1, 0,
				new Capacity.Starved(2, 5, 20, 30)));
		List<Disposable> clients = new ArrayList<>();

		for (int i = 0; i < 5_000; i++) {
			clients.add(this.backend.save(new UUID(0, random.nextInt(1_500)), "c-1", random.nextInt(2)).subscribe());
			if (random.nextInt(4) == 0) {
				clients.get(random.nextInt(clients.size())).dispose();
			}
			this.loop.advanceTimeBy(Duration.ofMillis(random.nextInt(10)));
			assertBalanced();
		}

		this.backend.behave(BackendBehaviour.DEFAULT);
		this.loop.advanceTimeBy(Duration.ofHours(1));
		BackendAudit audit = audit();
		assertBalanced();
		assertThat(audit.inFlight()).isZero();
		assertThat(audit.received()).isEqualTo(5_000);
		assertThat(audit.maxInFlight()).isEqualTo(50);
		assertThat(List.of(audit.saved(), audit.duplicates(), audit.refused(), audit.failed()))
			.as("each way to end has been taken")
			.allMatch((count) -> count > 0);
		assertThat(count("saved")).isEqualTo(audit.saved());
		assertThat(count("duplicate")).isEqualTo(audit.duplicates());
		assertThat(count("refused")).isEqualTo(audit.refused());
		assertThat(count("failed")).isEqualTo(audit.failed());
	}

	@Test
	void registersTheMetricsThatItNamesAndNoOther() {
		assertThat(this.registry.getMeters()).extracting(Meter::getId)
			.extracting(Meter.Id::getName)
			.containsOnly(Stream.of(Metric.values()).map((metric) -> metric.key).toArray(String[]::new));
	}

	private void assertBalanced() {
		BackendAudit audit = audit();
		assertThat(audit.received()).as("%s", audit)
			.isEqualTo(audit.saved() + audit.duplicates() + audit.refused() + audit.failed() + audit.inFlight());
	}

	private double count(String outcome) {
		return this.registry.get(Metric.ENDED.key).tag("outcome", outcome).counter().count();
	}

	private void save(int number) {
		save(new UUID(0, number), 7);
	}

	private void save(UUID id, long fingerprint) {
		this.backend.save(id, "c-1", fingerprint).subscribe(this.answers::add);
	}

	private static BackendBehaviour behaviour(double hangRate, double resetRate, Capacity capacity) {
		return new BackendBehaviour(new Delay.Fixed(50), 0, 503, hangRate, resetRate, 0, capacity);
	}

	private SavedOrder find(UUID id) {
		return this.backend.orders().find(id).block();
	}

	private long saved() {
		return this.backend.orders().totals().block().saved();
	}

	private BackendAudit audit() {
		return this.backend.orders().audit().block();
	}

	private Backend backend(int maxOrders, int maxInFlight) {
		return backend(new MemoryOrderStore(maxOrders), maxInFlight);
	}

	private Backend backend(OrderStore store, int maxInFlight) {
		return new Backend(this.loop, () -> this.loop.now(TimeUnit.MICROSECONDS), new SplittableRandom(42), maxInFlight,
				store, this.registry);
	}

	/** Answers when a test tells it to. */
	private static final class SlowStore extends OrderStore {

		private final Queue<MonoSink<Answer>> waiting = new ArrayDeque<>();

		void answer(Answer answer) {
			this.waiting.remove().success(answer);
		}

		@Override
		Mono<Answer> save(UUID id, long fingerprint, long nowMicros) {
			return Mono.create(this.waiting::add);
		}

		@Override
		Mono<SavedOrder> find(UUID id) {
			return Mono.empty();
		}

		@Override
		Flux<SavedOrder> saved() {
			return Flux.empty();
		}

		@Override
		Mono<Totals> totals() {
			return Mono.just(new Totals(0, 0, 0, null));
		}

		@Override
		Mono<OrderStore> next() {
			return Mono.just(this);
		}

	}

}
