package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.stream.IntStream;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class KeyLookupsTests {

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final Duration LONG = Duration.ofHours(1);

	private static final Duration HALF = LONG.dividedBy(2);

	private static final KeyUse.Used USED = new KeyUse.Used(Fingerprint.ofJson(new byte[] { '1' }), null);

	private final List<Query> queries = new ArrayList<>();

	private KeyLookups keys = open(LONG);

	@Test
	void oneQueryAnswersWhatArrivedWhileOthersRan() {
		queued(4);
		List<UUID> ids = IntStream.range(0, 32).mapToObj((_) -> UUID.randomUUID()).toList();
		List<CompletableFuture<KeyUse>> uses = ids.stream().map(this::queued).toList();
		queued(1);
		assertThat(this.queries).hasSize(4);

		this.queries.get(1).answer(null);
		this.queries.get(4).answer(Map.of(ids.get(7), USED));

		assertThat(this.queries.get(4).ids()).isEqualTo(ids);
		assertThat(this.queries.get(5).ids()).hasSize(1);
		IntStream.range(0, 32)
			.forEach((i) -> assertThat(uses.get(i)).isCompletedWithValue((i == 7) ? USED : new KeyUse.Unused()));
	}

	/** Kafka's answer completes many look-ups, one after the other. */
	@Test
	void oneQueryAnswersWhatArrivedBeforeItBegan() {
		List<Runnable> later = new ArrayList<>();
		this.keys = open(LONG, later::add);
		queued(40);
		assertThat(later).hasSize(1);

		later.getFirst().run();
		later.getLast().run();

		assertThat(this.queries).extracting((query) -> query.ids().size()).containsExactly(32, 8);
	}

	@Test
	void syncOrdersWaitLongerAndForTheirOwnQueries() {
		queued(5);

		this.keys.find(UUID.randomUUID(), Mode.SYNC);

		assertThat(this.queries).extracting(Query::limit).containsExactly(HALF, HALF, HALF, HALF, LONG.multipliedBy(2));
	}

	@Test
	void noQueryAsksForWhomNobodyWaits() {
		this.keys = open(Duration.ofMillis(2));
		assertThat(queued(7))
			.allSatisfy((late) -> assertThat(late).succeedsWithin(PATIENCE).isEqualTo(new KeyUse.Unknown(null)));

		this.queries.getFirst().answer(null);

		assertThat(this.queries).hasSize(4);
		queued(1);
		assertThat(this.queries).hasSize(5);
	}

	@Test
	void aThousandWaitAndFurtherOnesDoNot() {
		assertThat(queued(1_004)).noneMatch(CompletableFuture::isDone);

		assertThat(queued(UUID.randomUUID())).isCompletedWithValue(new KeyUse.Unknown(null));
	}

	@Test
	void nothingIsKnownIfPostgresDoesNotAnswer() {
		CompletableFuture<KeyUse> queued = queued(UUID.randomUUID());
		CompletableFuture<KeyUse> sync = this.keys.find(UUID.randomUUID(), Mode.SYNC);

		this.queries
			.forEach((query) -> query.fail(new ProblemException(ProblemType.STATUS_UNAVAILABLE, "down", Placed.NO)));

		assertThat(queued).isCompletedWithValue(new KeyUse.Unknown(null));
		assertThat(sync).isCompletedWithValue(new KeyUse.Unknown(null));
	}

	/** A queued order can do without PostgreSQL, whyever it does not answer. */
	@Test
	void onlyASyncOrderFailsBecauseOfABug() {
		CompletableFuture<KeyUse> queued = queued(UUID.randomUUID());
		CompletableFuture<KeyUse> sync = this.keys.find(UUID.randomUUID(), Mode.SYNC);

		this.queries.forEach((query) -> query.fail(new IllegalArgumentException("bug")));

		assertThat(queued).isCompletedWithValue(new KeyUse.Unknown(null));
		assertThat(sync).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(IllegalArgumentException.class);
	}

	@Test
	void withoutTimeNothingIsLookedUp() {
		this.keys = open(Duration.ZERO);

		assertThat(queued(UUID.randomUUID())).isCompletedWithValue(new KeyUse.Unused());
		assertThat(this.queries).isEmpty();
	}

	private CompletableFuture<KeyUse> queued(UUID id) {
		return this.keys.find(id, Mode.QUEUED);
	}

	private List<CompletableFuture<KeyUse>> queued(int count) {
		return IntStream.range(0, count).mapToObj((_) -> queued(UUID.randomUUID())).toList();
	}

	private KeyLookups open(Duration keyLookupTimeout) {
		return open(keyLookupTimeout, Runnable::run);
	}

	private KeyLookups open(Duration keyLookupTimeout, Executor executor) {
		return new KeyLookups(new StatusProperties(LONG, 10, "group", keyLookupTimeout), new FakeRecentOrders(),
				(ids, limit) -> {
					Query query = new Query(ids, limit, new CompletableFuture<>());
					this.queries.add(query);
					return query.uses();
				}, new SimpleMeterRegistry(), executor);
	}

	private record Query(List<UUID> ids, Duration limit, CompletableFuture<@Nullable Map<UUID, KeyUse.Used>> uses) {

		void answer(@Nullable Map<UUID, KeyUse.Used> found) {
			this.uses.complete(found);
		}

		void fail(RuntimeException failure) {
			this.uses.completeExceptionally(failure);
		}

	}

}
