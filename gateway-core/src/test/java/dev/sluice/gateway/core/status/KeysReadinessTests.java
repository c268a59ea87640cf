package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.FakeRecentOrders;
import dev.sluice.gateway.core.queue.OrderTopics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class KeysReadinessTests {

	private static final Duration LONG = Duration.ofHours(1);

	private final OrderTopics topics = mock(OrderTopics.class);

	private final AtomicInteger queries = new AtomicInteger();

	private CompletableFuture<@Nullable Map<UUID, KeyUse.Used>> answer = CompletableFuture.completedFuture(null);

	private final KeysReadiness keys = new KeysReadiness(this.topics,
			new KeyLookups(new StatusProperties(LONG, 10, "group", LONG), new FakeRecentOrders(), (_, _) -> {
				this.queries.incrementAndGet();
				return this.answer;
			}, new SimpleMeterRegistry(), Runnable::run));

	@Test
	void isDownUntilAKeyHasBeenLookedUp() {
		when(this.topics.reached()).thenReturn(true);
		postgresIsDown();
		assertThat(status()).isEqualTo(Status.DOWN);

		this.answer = CompletableFuture.completedFuture(null);

		assertThat(status()).isEqualTo(Status.UP);
		assertThat(status()).isEqualTo(Status.UP);
		assertThat(this.queries).hasValue(2);
	}

	/** Otherwise a gateway that starts while PostgreSQL is out would accept no orders. */
	@Test
	void isUpAfterSomeLookUpsInVain() {
		when(this.topics.reached()).thenReturn(true);
		postgresIsDown();
		for (int i = 1; i < 5; i++) {
			assertThat(status()).isEqualTo(Status.DOWN);
		}

		assertThat(status()).isEqualTo(Status.UP);
	}

	@Test
	void waitsForKafka() {
		assertThat(status()).isEqualTo(Status.DOWN);
		assertThat(this.queries).hasValue(0);
	}

	private void postgresIsDown() {
		this.answer = CompletableFuture
			.failedFuture(new ProblemException(ProblemType.STATUS_UNAVAILABLE, "down", Placed.NO));
	}

	private Status status() {
		return this.keys.health().getStatus();
	}

}
