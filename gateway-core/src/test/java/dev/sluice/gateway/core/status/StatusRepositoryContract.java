package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.problem.ProblemException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.PermissionDeniedDataAccessException;
import org.springframework.dao.UncategorizedDataAccessException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How a gateway queries PostgreSQL. */
@ExtendWith(OutputCaptureExtension.class)
public abstract class StatusRepositoryContract {

	protected static final Duration SHORT = Duration.ofMillis(20);

	protected static final Duration PATIENCE = Patience.ofSeconds(60);

	private static final Duration LONG = Duration.ofHours(1);

	private final CompletableFuture<String> answer = new CompletableFuture<>();

	private final CircuitBreakerRegistry circuits = CircuitBreakerRegistry.ofDefaults();

	/**
	 * Opens a repository.
	 * @param connections number of connections of the pool
	 */
	protected abstract void open(CircuitBreakerRegistry circuits, int connections);

	/** Runs a query that has its answer when the future has. */
	protected abstract CompletableFuture<String> ask(Duration limit, CompletableFuture<String> query);

	/** Waits until this many queries are running or waiting. */
	protected abstract void awaitQueries(int count);

	@BeforeEach
	void open() {
		open(this.circuits, 10);
	}

	@AfterEach
	void answer() {
		this.answer.complete("answer");
	}

	@Test
	void holdsABurstAndRefusesTheRestWithoutOpeningTheCircuit() {
		List<CompletableFuture<String>> held = ask(1_010, LONG);
		awaitQueries(1_010);

		List<CompletableFuture<String>> refused = ask(100, LONG);

		assertThat(refused).allSatisfy(StatusRepositoryContract::assertNotAsked);
		assertThat(circuit()).isEqualTo(State.CLOSED);
		this.answer.complete("answer");
		assertThat(held).allSatisfy((one) -> assertThat(one).succeedsWithin(PATIENCE).isEqualTo("answer"));
	}

	@Test
	void takesTheNumberOfConnectionsFromThePool() {
		open(this.circuits, 3);
		ask(1_003, LONG);
		awaitQueries(1_003);

		assertNotAsked(ask(LONG, this.answer));
	}

	@Test
	void doesNotBlamePostgresForWhatItWasNeverAsked() {
		ask(10, LONG);
		awaitQueries(10);

		List<CompletableFuture<String>> late = ask(20, SHORT);

		assertThat(late).allSatisfy(StatusRepositoryContract::assertNotAsked);
		assertThat(circuit(StatusPolicy.SHORT_NAME)).isEqualTo(State.CLOSED);
	}

	@Test
	void leavesPostgresAloneThatDoesNotAnswerButForWhoeverWaitsLonger() {
		await().until(() -> {
			ask(SHORT, this.answer).exceptionally((_) -> "").join();
			return circuit(StatusPolicy.SHORT_NAME) == State.OPEN;
		});

		CompletableFuture<String> late = CompletableFuture.completedFuture("late");
		assertThat(ask(LONG, late)).succeedsWithin(PATIENCE).isEqualTo("late");
	}

	/** A forbidden table, and a lock timeout, which JDBC's translation does not know. */
	@Test
	void takesWhatPostgresRefusesForAnOutage() {
		for (DataAccessException refused : List.of(new PermissionDeniedDataAccessException("denied", null),
				new UncategorizedDataAccessException("canceling statement due to lock timeout", null) {
				})) {
			assertThat(ask(LONG, CompletableFuture.failedFuture(refused))).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(ProblemException.class);
		}
	}

	@Test
	void logsOnceWhyPostgresCannotBeAsked(CapturedOutput output) {
		CompletableFuture<String> failed = CompletableFuture.failedFuture(new DataAccessResourceFailureException("down",
				new IllegalStateException("password authentication failed")));
		for (int i = 0; i < 20; i++) {
			assertThat(ask(LONG, failed)).failsWithin(PATIENCE);
		}

		assertThat(output.getAll()).containsOnlyOnce("password authentication failed");
	}

	@Test
	void leavesPostgresAloneThatFails() {
		CompletableFuture<String> failed = CompletableFuture
			.failedFuture(new DataAccessResourceFailureException("down"));
		for (int i = 0; i < 5; i++) {
			assertThat(circuit()).isEqualTo(State.CLOSED);
			assertThat(ask(LONG, failed)).failsWithin(PATIENCE)
				.withThrowableThat()
				.withCauseInstanceOf(ProblemException.class);
		}

		assertThat(circuit()).isEqualTo(State.OPEN);
	}

	private State circuit() {
		return circuit(StatusPolicy.NAME);
	}

	private State circuit(String name) {
		return this.circuits.circuitBreaker(name).getState();
	}

	/** Before its limit of an hour is over, or although its query will be answered. */
	private static void assertNotAsked(CompletableFuture<?> query) {
		assertThat(query).failsWithin(PATIENCE).withThrowableThat().withCauseInstanceOf(ProblemException.class);
	}

	private List<CompletableFuture<String>> ask(int times, Duration limit) {
		return IntStream.range(0, times).mapToObj((_) -> ask(limit, this.answer)).toList();
	}

}
