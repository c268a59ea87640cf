package dev.sluice.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.SavedOrder;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;
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
		this.backend.save(ID, "slow-1", 7, this.answers::add);
		this.backend.save(OTHER_ID, "refused-1", 7, this.answers::add);

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
		slow.save(ID, "c-1", 7, this.answers::add);
		this.loop.advanceTimeBy(Duration.ofMillis(50));

		slow.save(OTHER_ID, "c-1", 7, this.answers::add);
		assertThat(this.answers).extracting(Answer::status).containsExactly(503);

		Answer late = Answer.problem(503, "late");
		store.answer(late);
		assertThat(this.answers).last().isEqualTo(late);
		assertThat(slow.audit().block()).extracting(BackendAudit::failed, BackendAudit::inFlight)
			.containsExactly(1L, 0);

		slow.save(OTHER_ID, "c-1", 7, this.answers::add);
		this.loop.advanceTimeBy(Duration.ofMillis(50));
		store.answer(Answer.saved(new SavedOrder(OTHER_ID, Instant.EPOCH)));
		assertThat(this.answers).last().extracting(Answer::status).isEqualTo(201);
	}

	@Test
	void refusesBeyondTheGreatestNumberInFlight() {
		Backend small = backend(10, 1);

		small.save(ID, "c-1", 7, this.answers::add);
		small.save(OTHER_ID, "c-1", 7, this.answers::add);

		assertThat(this.answers).extracting(Answer::status).containsExactly(503);

		this.loop.advanceTimeBy(Duration.ofMillis(50));
		small.save(OTHER_ID, "c-1", 7, this.answers::add);
		this.loop.advanceTimeBy(Duration.ofMillis(50));

		assertThat(this.answers).last().extracting(Answer::status).isEqualTo(201);
	}

	@Test
	void aDelayWithoutOrderTakesAPlaceButNotTheOrdersDelay() {
		this.backend.behave(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Workers(1, 1)));
		this.backend.delay(500, this.answers::add);
		save(1);

		this.loop.advanceTimeBy(Duration.ofMillis(500));
		assertThat(this.answers).containsExactly(Answer.delayed(500));
		assertThat(audit().received()).isEqualTo(1);

		this.loop.advanceTimeBy(Duration.ofMillis(50));
		assertThat(saved()).isEqualTo(1);
	}

	@Test
	void anErrorTakesTheDelayAndSavesNothing() {
		this.backend.behave(BackendBehaviour.DEFAULT.withErrors(1, 502));
		save(1);

		this.loop.advanceTimeBy(Duration.ofMillis(49));
		assertThat(this.answers).isEmpty();

		this.loop.advanceTimeBy(Duration.ofMillis(1));
		assertThat(this.answers).extracting(Answer::status).containsExactly(502);
		assertThat(saved()).isZero();
		assertBalanced();
	}

	@Test
	void aResetComesAtOnceAndFreesThePlace() {
		this.backend.behave(behaviour(0, 1, new Capacity.Workers(1, 0)));
		save(1);
		save(2);

		assertThat(this.answers).containsExactly(Answer.RESET, Answer.RESET);
		assertBalanced();
	}

	@Test
	void whatHangsHoldsItsPlaceUntilItsClientGoes() {
		this.backend.behave(behaviour(1, 0, new Capacity.Workers(1, 0)));
		Runnable gone = this.backend.save(ID, "c-1", 7, this.answers::add);
		save(2);
		this.loop.advanceTimeBy(Duration.ofHours(1));
		assertThat(this.answers).extracting(Answer::status).containsExactly(503);

		gone.run();
		gone.run();

		assertThat(this.answers).extracting(Answer::status).containsExactly(503, 0);
		assertBalanced();
		save(3);
		assertThat(audit().inFlight()).isEqualTo(1);
	}

	@Test
	void aNewBehaviourLetsGoWhatHangsAndWhatWouldHang() {
		this.backend.behave(behaviour(1, 0, new Capacity.Workers(1, 10)));
		save(1);
		save(2);
		save(3);

		this.backend.behave(BackendBehaviour.DEFAULT);

		assertThat(this.answers).hasSize(3).containsOnly(Answer.ABANDONED);
		assertBalanced();
	}

	@Test
	void nothingHangsOnceTheBackendStops() {
		this.backend.behave(behaviour(1, 0, new Capacity.Unlimited()));
		save(1);

		this.backend.stop();
		save(2);

		assertThat(this.answers).hasSize(2).containsOnly(Answer.ABANDONED);
	}

	@Test
	void whatWaitsAtANewBehaviourFinishesUnderTheOldOne() {
		this.backend.behave(BackendBehaviour.DEFAULT.withCapacity(new Capacity.Workers(1, 1)));
		save(1);
		save(2);

		this.backend.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(0)));
		save(3);

		assertThat(saved()).isEqualTo(1);
		this.loop.advanceTimeBy(Duration.ofMillis(50));
		assertThat(saved()).isEqualTo(2);
		this.loop.advanceTimeBy(Duration.ofMillis(50));
		assertThat(saved()).isEqualTo(3);
	}

	@Test
	void aNewBehaviourBringsTheStarvedPoolBackToItsStart() {
		BackendBehaviour starved = BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(10_000))
			.withCapacity(new Capacity.Starved(1, 10, 50, 100));
		this.backend.behave(starved);
		save(1);
		save(2);
		this.loop.advanceTimeBy(Duration.ofSeconds(1));
		assertThat(this.backend.workers()).isEqualTo(2);

		this.backend.behave(starved);

		assertThat(this.backend.workers()).isEqualTo(1);
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
		List<Runnable> clients = new ArrayList<>();

		for (int i = 0; i < 5_000; i++) {
			clients.add(
					this.backend.save(new UUID(0, random.nextInt(1_500)), "c-1", random.nextInt(2), this.answers::add));
			if (random.nextInt(4) == 0) {
				clients.get(random.nextInt(clients.size())).run();
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
			.containsOnly(List.of(BackendMetric.values()).stream().map(BackendMetric::key).toArray(String[]::new));
	}

	private void assertBalanced() {
		BackendAudit audit = audit();
		assertThat(audit.received()).as("%s", audit)
			.isEqualTo(audit.saved() + audit.duplicates() + audit.refused() + audit.failed() + audit.inFlight());
	}

	private double count(String outcome) {
		return this.registry.get(BackendMetric.ENDED.key()).tag("outcome", outcome).counter().count();
	}

	private void save(int number) {
		save(new UUID(0, number), 7);
	}

	private void save(UUID id, long fingerprint) {
		this.backend.save(id, "c-1", fingerprint, this.answers::add);
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
		return this.backend.audit().block();
	}

	private Backend backend(int maxOrders, int maxInFlight) {
		return backend(new MemoryOrderStore(maxOrders), maxInFlight);
	}

	private Backend backend(OrderStore store, int maxInFlight) {
		return new Backend(this.loop, () -> this.loop.now(TimeUnit.MICROSECONDS), new SplittableRandom(42), maxInFlight,
				store, new BackendMetrics(this.registry));
	}

	/** Answers when a test tells it to. */
	private static final class SlowStore implements OrderStore {

		private final Queue<MonoSink<Answer>> waiting = new ArrayDeque<>();

		void answer(Answer answer) {
			this.waiting.remove().success(answer);
		}

		@Override
		public Mono<Answer> save(UUID id, long fingerprint, long nowMicros) {
			return Mono.create(this.waiting::add);
		}

		@Override
		public Mono<SavedOrder> find(UUID id) {
			return Mono.empty();
		}

		@Override
		public Mono<byte[]> export(int part) {
			return Mono.empty();
		}

		@Override
		public Mono<Totals> totals() {
			return Mono.just(new Totals(0, 0, 0, null));
		}

		@Override
		public Mono<OrderStore> next() {
			return Mono.just(this);
		}

	}

}
