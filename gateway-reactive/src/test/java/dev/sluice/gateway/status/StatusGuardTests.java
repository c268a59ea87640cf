package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.status.StatusCircuit;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.dao.DataAccessResourceFailureException;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.core.publisher.Sinks;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

class StatusGuardTests {

	private static final Duration LONG = Duration.ofHours(1);

	private static final Duration SHORT = Duration.ofMillis(20);

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private final Sinks.One<String> answer = Sinks.one();

	private final CircuitBreakerRegistry circuits = CircuitBreakerRegistry.ofDefaults();

	private final StatusGuard guard = new StatusGuard(this.circuits, 10);

	private final CircuitBreaker circuit = this.circuits.circuitBreaker(StatusCircuit.NAME);

	@Test
	void holdsABurstAndRefusesTheRestWithoutOpeningTheCircuit() {
		List<CompletableFuture<String>> held = ask(1_010, LONG);

		List<CompletableFuture<String>> refused = ask(100, LONG);

		assertThat(refused).allSatisfy(StatusGuardTests::assertNotAsked);
		assertThat(this.circuit.getState()).isEqualTo(State.CLOSED);
		this.answer.tryEmitValue("answer").orThrow();
		assertThat(held).allSatisfy((one) -> assertThat(one).succeedsWithin(PATIENCE).isEqualTo("answer"));
	}

	@Test
	void takesTheNumberOfConnectionsFromThePool() {
		R2dbcProperties r2dbc = new R2dbcProperties();
		r2dbc.getPool().setMaxSize(3);
		StatusGuard three = new StatusGuard(this.circuits, r2dbc);
		for (int i = 0; i < 1_003; i++) {
			three.ask(LONG, this.answer.asMono()).subscribe();
		}

		assertNotAsked(three.ask(LONG, this.answer.asMono()).toFuture());
	}

	@Test
	void doesNotBlamePostgresForWhatItWasNeverAsked() {
		ask(10, LONG);

		List<CompletableFuture<String>> late = ask(20, SHORT);

		assertThat(late).allSatisfy(StatusGuardTests::assertNotAsked);
		assertThat(this.circuit.getState()).isEqualTo(State.CLOSED);
	}

	@Test
	void leavesPostgresAloneThatDoesNotAnswer() {
		await().until(() -> {
			ask(1, SHORT);
			return this.circuit.getState() == State.OPEN;
		});
	}

	@Test
	void leavesPostgresAloneThatFails() {
		for (int i = 0; i < 5; i++) {
			assertThat(this.guard.ask(LONG, Mono.error(new DataAccessResourceFailureException("down"))).toFuture())
				.failsWithin(PATIENCE);
		}

		assertThat(this.circuit.getState()).isEqualTo(State.OPEN);
	}

	/** The driver does not cancel a query that runs. Nobody needs a line in the log. */
	@Test
	void ignoresAFailureAfterTheLimit() {
		AtomicReference<Subscriber<? super String>> driver = new AtomicReference<>();
		Mono<String> query = Mono.fromDirect((subscriber) -> {
			subscriber.onSubscribe(Operators.emptySubscription());
			driver.set(subscriber);
		});
		List<Throwable> dropped = new ArrayList<>();
		Consumer<Throwable> log = dropped::add;
		assertThat(
				this.guard.ask(SHORT, query).contextWrite(Context.of("reactor.onErrorDropped.local", log)).toFuture())
			.failsWithin(PATIENCE);

		driver.get().onError(new DataAccessResourceFailureException("down"));

		assertThat(dropped).isEmpty();
	}

	private static void assertNotAsked(CompletableFuture<?> query) {
		assertThat(query).failsWithin(PATIENCE)
			.withThrowableThat()
			.withRootCauseInstanceOf(RejectedExecutionException.class);
	}

	private List<CompletableFuture<String>> ask(int times, Duration limit) {
		return IntStream.range(0, times)
			.mapToObj((_) -> this.guard.ask(limit, this.answer.asMono()).toFuture())
			.toList();
	}

}
