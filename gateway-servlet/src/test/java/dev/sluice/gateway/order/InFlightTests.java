package dev.sluice.gateway.order;

import java.net.URI;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.CircuitProperties;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class InFlightTests {

	private static final UUID ID = UUID.randomUUID();

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final InFlight inFlight = new InFlight(backend(1), queue(1), this.meters);

	@Test
	void refusesAnOrderThatIsInProgress() {
		begin(ID, new CompletableFuture<>());

		assertThat(refusal(ID)).isEqualTo(ProblemType.IN_PROGRESS);
		assertThat(inProgress()).isEqualTo(1);
	}

	@Test
	void takesAnOrderAgainWhenItsAnswerIsKnown() {
		CompletableFuture<String> first = new CompletableFuture<>();
		begin(ID, first);
		first.complete("done");
		CompletableFuture<String> second = new CompletableFuture<>();
		begin(ID, second);
		second.completeExceptionally(new IllegalStateException());

		assertThat(inProgress()).isZero();
		begin(ID, new CompletableFuture<>());
		assertThat(inProgress()).isEqualTo(1);
	}

	@Test
	void forgetsAnOrderWhoseWorkDidNotBegin() {
		assertThatIllegalStateException().isThrownBy(() -> this.inFlight.during(ID, () -> {
			throw new IllegalStateException("no");
		}));

		assertThat(inProgress()).isZero();
	}

	@Test
	void forgetsAnOrderWhoseWorkEndedByAnError() {
		assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> this.inFlight.during(ID, () -> {
			throw new OutOfMemoryError("simulated");
		}));

		assertThat(inProgress()).isZero();
	}

	@Test
	void holdsNoMoreThanBothWaysLetIn() {
		begin(UUID.randomUUID(), new CompletableFuture<>());
		begin(UUID.randomUUID(), new CompletableFuture<>());

		assertThat(refusal(ID)).isEqualTo(ProblemType.OVERLOADED);
		assertThat(inProgress()).isEqualTo(2);
	}

	private void begin(UUID id, CompletableFuture<String> work) {
		CompletionStage<String> answer = this.inFlight.during(id, () -> work);
		assertThat(answer).isNotNull();
	}

	private ProblemType refusal(UUID id) {
		return catchThrowableOfType(ProblemException.class,
				() -> this.inFlight.during(id, () -> CompletableFuture.completedFuture("")))
			.type();
	}

	private double inProgress() {
		return this.meters.get(GatewayMetric.KEYS_IN_PROGRESS.metricName()).gauge().value();
	}

	private static BackendProperties backend(int maxConcurrent) {
		return new BackendProperties(URI.create("http://127.0.0.1:1"), Duration.ofSeconds(1), Duration.ofSeconds(1),
				maxConcurrent, 1, Duration.ofSeconds(1), circuit());
	}

	private static QueueProperties queue(int maxInFlight) {
		return new QueueProperties(Duration.ofSeconds(1), maxInFlight, 1, (short) 1, 0, circuit());
	}

	private static CircuitProperties circuit() {
		return new CircuitProperties(50, 50, Duration.ofSeconds(10), Duration.ofSeconds(1));
	}

}
