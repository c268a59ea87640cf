package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.devservices.Patience;
import dev.sluice.gateway.core.status.StatusCircuit;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessResourceFailureException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

class StatusGuardTests {

	private static final Duration LONG = Duration.ofHours(1);

	private static final Duration SHORT = Duration.ofMillis(20);

	private static final Duration PATIENCE = Patience.ofSeconds(60);

	private final CompletableFuture<String> answer = new CompletableFuture<>();

	private final CircuitBreakerRegistry circuits = CircuitBreakerRegistry.ofDefaults();

	private final StatusGuard guard = new StatusGuard(this.circuits, 10);

	private final CircuitBreaker circuit = this.circuits.circuitBreaker(StatusCircuit.NAME);

	@AfterEach
	void close() {
		this.answer.complete("answer");
		this.guard.destroy();
	}

	@Test
	void holdsABurstAndRefusesTheRestWithoutOpeningTheCircuit() {
		List<CompletableFuture<String>> held = ask(1_010, LONG);
		await().until(() -> this.guard.queries() == 1_010);

		List<CompletableFuture<String>> refused = ask(100, LONG);

		assertThat(refused).allSatisfy(StatusGuardTests::assertNotAsked);
		assertThat(this.circuit.getState()).isEqualTo(State.CLOSED);
		this.answer.complete("answer");
		assertThat(held).allSatisfy((one) -> assertThat(one).succeedsWithin(PATIENCE).isEqualTo("answer"));
	}

	@Test
	void takesTheNumberOfConnectionsFromThePool() {
		HikariDataSource pool = new HikariDataSource();
		pool.setMaximumPoolSize(3);
		StatusGuard three = new StatusGuard(this.circuits, pool);
		for (int i = 0; i < 1_003; i++) {
			ask(three, LONG);
		}
		await().until(() -> three.queries() == 1_003);

		assertNotAsked(ask(three, LONG));
		three.destroy();
	}

	@Test
	void doesNotBlamePostgresForWhatItWasNeverAsked() {
		ask(10, LONG);
		await().until(() -> this.guard.queries() == 10);

		List<CompletableFuture<String>> late = ask(20, SHORT);

		assertThat(late).allSatisfy(StatusGuardTests::assertNotAsked);
		assertThat(this.circuit.getState()).isEqualTo(State.CLOSED);
	}

	@Test
	void leavesPostgresAloneThatDoesNotAnswer() {
		await().until(() -> {
			ask(1, SHORT).getFirst().exceptionally((_) -> "").join();
			return this.circuit.getState() == State.OPEN;
		});
	}

	@Test
	void leavesPostgresAloneThatFails() {
		for (int i = 0; i < 5; i++) {
			assertThatExceptionOfType(StatusUnavailableException.class)
				.isThrownBy(() -> this.guard.ask(LONG, StatusGuardTests::fail));
		}

		assertThat(this.circuit.getState()).isEqualTo(State.OPEN);
	}

	private static void assertNotAsked(CompletableFuture<?> query) {
		assertThat(query).failsWithin(PATIENCE)
			.withThrowableThat()
			.withRootCauseInstanceOf(RejectedExecutionException.class);
	}

	private List<CompletableFuture<String>> ask(int times, Duration limit) {
		return IntStream.range(0, times).mapToObj((_) -> ask(this.guard, limit)).toList();
	}

	private CompletableFuture<String> ask(StatusGuard asked, Duration limit) {
		CompletableFuture<String> answer = new CompletableFuture<>();
		Thread.startVirtualThread(() -> {
			try {
				answer.complete(asked.ask(limit, this.answer::join));
			}
			catch (RuntimeException ex) {
				answer.completeExceptionally(ex);
			}
		});
		return answer;
	}

	private static String fail() {
		throw new DataAccessResourceFailureException("down");
	}

}
