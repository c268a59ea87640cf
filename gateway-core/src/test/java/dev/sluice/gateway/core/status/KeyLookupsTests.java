package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
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

	private static final StatusProperties PROPERTIES = new StatusProperties(LONG, 10, "group", LONG);

	private static final KeyUse.Used USED = new KeyUse.Used(Fingerprint.ofJson(new byte[] { '1' }), null);

	private final List<Query> queries = new ArrayList<>();

	private KeyLookups keys = open(LONG, Runnable::run);

	/** Kafka's answer ends their waits one after the other. */
	@Test
	void lookUpsShareQueries() {
		List<Runnable> soon = new ArrayList<>();
		this.keys = open(LONG, soon::add);
		List<UUID> ids = IntStream.range(0, 40).mapToObj((_) -> UUID.randomUUID()).toList();
		List<CompletableFuture<KeyUse>> uses = ids.stream().map(this::queued).toList();
		assertThat(soon).hasSize(1);

		soon.getFirst().run();
		this.queries.getFirst().answer(Map.of(ids.get(7), USED));
		this.queries.getLast().answer(null);

		assertThat(this.queries).extracting(Query::ids).containsExactly(ids.subList(0, 32), ids.subList(32, 40));
		IntStream.range(0, 40)
			.forEach((i) -> assertThat(uses.get(i)).isCompletedWithValue((i == 7) ? USED : new KeyUse.Unused()));
	}

	@Test
	void aSyncOrderWaitsLonger() {
		queued(UUID.randomUUID());

		this.keys.find(UUID.randomUUID(), Mode.SYNC);

		assertThat(this.queries).extracting(Query::limit).containsExactly(LONG.dividedBy(2), LONG.multipliedBy(2));
	}

	/** One that throws, such as for want of a thread, must not keep its callers. */
	@Test
	void aQueryThatThrowsHasFailed() {
		this.keys = new KeyLookups(PROPERTIES, new FakeRecentOrders(), (_, _) -> {
			throw new IllegalStateException("bug");
		}, new SimpleMeterRegistry(), Runnable::run);

		assertThat(queued(UUID.randomUUID())).isCompletedWithValue(new KeyUse.Unknown(null));
	}

	@Test
	void noLookUpWaitsForEver() {
		this.keys = open(Duration.ofMillis(2), (_) -> {
		});

		assertThat(queued(UUID.randomUUID())).succeedsWithin(PATIENCE).isEqualTo(new KeyUse.Unknown(null));
	}

	@Test
	void theNextOneAsksIfNoThreadCouldBeStarted() {
		AtomicBoolean started = new AtomicBoolean();
		this.keys = open(LONG, (task) -> {
			if (!started.getAndSet(true)) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			task.run();
		});
		CompletableFuture<KeyUse> failed = queued(UUID.randomUUID());
		assertThat(failed).isCompletedExceptionally();

		CompletableFuture<KeyUse> next = queued(UUID.randomUUID());
		this.queries.forEach((query) -> query.answer(null));

		assertThat(next).isCompletedWithValue(new KeyUse.Unused());
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
		this.keys = open(Duration.ZERO, Runnable::run);

		assertThat(queued(UUID.randomUUID())).isCompletedWithValue(new KeyUse.Unused());
		assertThat(this.queries).isEmpty();
	}

	private CompletableFuture<KeyUse> queued(UUID id) {
		return this.keys.find(id, Mode.QUEUED);
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
