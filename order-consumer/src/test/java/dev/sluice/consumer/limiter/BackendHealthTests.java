package dev.sluice.consumer.limiter;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import dev.sluice.consumer.backend.Attempt;
import dev.sluice.consumer.backend.Attempt.Conflict;
import dev.sluice.consumer.backend.Attempt.Reach;
import dev.sluice.consumer.backend.Attempt.Rejected;
import dev.sluice.consumer.backend.Attempt.RetryLater;
import dev.sluice.consumer.backend.Attempt.Saved;
import dev.sluice.consumer.backend.Attempt.Throttled;
import dev.sluice.consumer.backend.BackendProperties;
import dev.sluice.consumer.backend.FailureReason;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

class BackendHealthTests {

	private static final Attempt SAVED = new Saved(null);

	private static final Attempt FAILED = new RetryLater(FailureReason.failed(500, "500"), Reach.ANSWERED);

	private static final Attempt REJECTED = new Rejected(FailureReason.refused(422, "422"));

	private static final Attempt THROTTLED = new Throttled(FailureReason.throttled("429"), Duration.ZERO);

	private final AtomicLong nanos = new AtomicLong(-5);

	private final BackendHealth health = new BackendHealth(
			new BackendProperties.Circuit(5, 50, Duration.ofSeconds(10), 20, Duration.ofSeconds(2), 3),
			Duration.ofSeconds(1), this.nanos::get);

	@Test
	void opensByFailuresInARowHoweverManyWereSavedBefore() {
		attempts(SAVED, 10_000);

		attempts(FAILED, 4);
		assertThat(this.health.isHealthy()).isTrue();
		attempts(FAILED, 1);

		assertThat(this.health.circuit()).isEqualTo(State.OPEN);
		assertThat(this.health.outages()).isEqualTo(1);
		assertThat(this.health.tryAcquire()).isFalse();
	}

	/** Failures are faster than saves: of 100 that began together they come first. */
	@Test
	void opensByFailuresInARowOnlyWhenAsManyFailAsAreInFlight() {
		attempts(SAVED, 10_000);
		for (int i = 0; i < 100; i++) {
			assertThat(this.health.tryAcquire()).isTrue();
		}

		for (int i = 1; i <= 50; i++) {
			assertThat(this.health.isHealthy()).as("%d failed, the others are in flight", i).isTrue();
			this.health.attempted(FAILED, this.nanos.get());
		}
		assertThat(this.health.isHealthy()).isTrue();
		this.health.attempted(FAILED, this.nanos.get());

		assertThat(this.health.circuit()).as("50 failed, 50 are in flight").isEqualTo(State.OPEN);
	}

	/** An overloaded backend refuses many while it saves one. */
	@Test
	void opensByFailuresInARowOnlyWhenTheyLastAsLongAsASave() {
		attempts(SAVED, 10_000);
		assertThat(this.health.tryAcquire()).isTrue();
		advance(Duration.ofMillis(50));
		this.health.attempted(SAVED, this.nanos.get() - Duration.ofMillis(50).toNanos());

		attempts(FAILED, 100);
		advance(Duration.ofMillis(50).minusNanos(1));
		attempts(FAILED, 100);
		assertThat(this.health.isHealthy()).isTrue();
		advance(Duration.ofNanos(1));
		attempts(FAILED, 1);

		assertThat(this.health.circuit()).isEqualTo(State.OPEN);
	}

	@Test
	void opensByTheShareOfFailuresInTheWindow() {
		for (int i = 0; i < 9; i++) {
			attempts(FAILED, 1);
			attempts(SAVED, 1);
		}
		attempts(SAVED, 1);
		assertThat(this.health.isHealthy()).isTrue();

		attempts(FAILED, 1);

		assertThat(this.health.circuit()).isEqualTo(State.OPEN);
	}

	@Test
	void throttlingIsNoFailureAndNoSuccess() {
		attempts(THROTTLED, 1_000);
		assertThat(this.health.isHealthy()).isTrue();

		attempts(FAILED, 4);
		attempts(THROTTLED, 1_000);
		assertThat(this.health.isHealthy()).isTrue();
		attempts(FAILED, 1);

		assertThat(this.health.circuit()).isEqualTo(State.OPEN);
	}

	@Test
	void refusalsAreAnswersOfABackendThatSavesOthers() {
		attempts(SAVED, 1);
		attempts(FAILED, 4);
		attempts(REJECTED, 1);
		attempts(FAILED, 4);
		attempts(new Conflict(FailureReason.otherPayload("422")), 1);
		attempts(FAILED, 4);

		assertThat(this.health.isHealthy()).isTrue();
	}

	@Test
	void refusalsOfAllOrdersAreFailuresAndNoResultOfATrial() {
		attempts(REJECTED, 5);
		assertThat(this.health.circuit()).isEqualTo(State.OPEN);

		advance(this.health.untilNextTrial());
		attempts(REJECTED, 100);
		assertThat(this.health.circuit()).isEqualTo(State.HALF_OPEN);
		attempts(SAVED, 1);
		attempts(REJECTED, 2);

		assertThat(this.health.circuit()).isEqualTo(State.CLOSED);
	}

	@Test
	void closesAgainByTrialsAndThrottledOnesAreGivenBack() {
		attempts(FAILED, 5);
		assertThat(this.health.untilNextTrial()).isEqualTo(Duration.ofMillis(2_001));
		advance(this.health.untilNextTrial());

		assertThat(this.health.tryAcquire()).isTrue();
		this.health.attempted(THROTTLED, this.nanos.get());
		assertThat(this.health.circuit()).isEqualTo(State.HALF_OPEN);
		assertThat(this.health.untilNextTrial()).as("if no trial ends before").isEqualTo(Duration.ofSeconds(2));
		attempts(SAVED, 3);

		assertThat(this.health.circuit()).isEqualTo(State.CLOSED);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logsTheBeginningAndTheEndOfAnOutageOnceHoweverManyTrialsFail(CapturedOutput output) {
		attempts(FAILED, 5);
		for (int i = 0; i < 3; i++) {
			advance(this.health.untilNextTrial());
			attempts(FAILED, 3);
		}
		assertThat(this.health.outages()).as("each failed round of trials opens it again").isEqualTo(4);
		assertThat(output).containsOnlyOnce("The circuit breaker opened")
			.contains("The last failure: 500")
			.doesNotContain("The circuit breaker closed");

		advance(this.health.untilNextTrial());
		attempts(SAVED, 3);

		assertThat(output).containsOnlyOnce("The circuit breaker opened")
			.containsOnlyOnce("The circuit breaker closed");
	}

	@Test
	void aFailureWhileTheCircuitIsNotClosedCountsAgainstNobody() {
		attempts(SAVED, 1);
		advance(Duration.ofMillis(1));

		assertThat(this.health.attempted(FAILED, this.nanos.get())).isNotNull();
		assertThat(this.health.attempted(new RetryLater(FailureReason.unreachable("gone"), Reach.NOT_REACHED),
				this.nanos.get()))
			.isNull();
		attempts(FAILED, 2);
		assertThat(this.health.attempted(FAILED, this.nanos.get())).as("the circuit breaker opens at it").isNull();
		assertThat(this.health.attempted(FAILED, this.nanos.get())).isNull();
	}

	private void attempts(Attempt attempt, int times) {
		attempts(this.health, attempt, times);
	}

	private void attempts(BackendHealth health, Attempt attempt, int times) {
		for (int i = 0; i < times; i++) {
			health.tryAcquire();
			health.attempted(attempt, this.nanos.get());
		}
	}

	private void advance(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

}
