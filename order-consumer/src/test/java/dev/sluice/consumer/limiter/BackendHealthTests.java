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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

class BackendHealthTests {

	private static final Duration OPEN_AFTER = Duration.ofSeconds(2);

	private static final Duration OPEN_FOR = Duration.ofSeconds(3);

	private static final Attempt SAVED = new Saved(null);

	private static final Attempt FAILED = new RetryLater(FailureReason.failed(500, "500"), Reach.ANSWERED);

	private static final Attempt REJECTED = new Rejected(FailureReason.refused(422, "422"));

	private static final Attempt THROTTLED = new Throttled(FailureReason.throttled("429"), Duration.ZERO);

	private final AtomicLong nanos = new AtomicLong(-5);

	private final BackendHealth health = new BackendHealth(new BackendProperties.Circuit(OPEN_AFTER, OPEN_FOR),
			Duration.ofSeconds(1), this.nanos::get);

	@Test
	void opensWhenNothingIsSavedForAWhile() {
		attempts(SAVED, 10_000);

		attempts(FAILED, 1_000);
		advance(OPEN_AFTER.minusNanos(1));
		attempts(FAILED, 1);
		assertThat(this.health.isHealthy()).isTrue();
		advance(Duration.ofNanos(1));
		attempts(FAILED, 1);

		assertThat(this.health.isHealthy()).isFalse();
		assertThat(this.health.outages()).isEqualTo(1);
	}

	@Test
	void staysClosedWhileAnythingIsSaved() {
		for (int i = 0; i < 100; i++) {
			attempts(FAILED, 1_000);
			advance(OPEN_AFTER.minusNanos(1));
			attempts((i % 2 == 0) ? SAVED : new Conflict(FailureReason.otherPayload("422")), 1);
		}

		assertThat(this.health.outages()).isZero();
	}

	@Test
	void staysClosedByTheFailuresOfAFewOrders() {
		for (int i = 0; i < 9; i++) {
			attempts(FAILED, 1);
			advance(OPEN_AFTER);
		}
		assertThat(this.health.isHealthy()).isTrue();

		attempts(FAILED, 1);

		assertThat(this.health.isHealthy()).isFalse();
	}

	/** The calls of a frozen backend time out together, and are the last for a while. */
	@Test
	void opensWhenCallsThatBeganTogetherTimeOut() {
		long beganNanos = this.nanos.get();
		advance(OPEN_AFTER);
		for (int i = 0; i < 10; i++) {
			this.health.attempted(FAILED, beganNanos);
		}
		assertThat(this.health.isHealthy()).isFalse();
	}

	/** An overloaded backend refuses many while it saves one. */
	@Test
	void opensOnlyOnceAnOrderWouldHaveBeenSaved() {
		Duration slow = OPEN_AFTER.multipliedBy(2);
		advance(slow);
		this.health.attempted(SAVED, this.nanos.get() - slow.toNanos());

		attempts(FAILED, 100);
		advance(slow.minusNanos(1));
		attempts(FAILED, 100);
		assertThat(this.health.isHealthy()).isTrue();
		advance(Duration.ofNanos(1));
		attempts(FAILED, 1);

		assertThat(this.health.isHealthy()).isFalse();
	}

	@Test
	void throttlingIsNoFailureAndNoSuccess() {
		attempts(THROTTLED, 1_000);
		advance(OPEN_AFTER);
		attempts(THROTTLED, 1_000);
		assertThat(this.health.isHealthy()).isTrue();

		attempts(FAILED, 9);
		advance(OPEN_AFTER);
		attempts(THROTTLED, 1_000);
		attempts(FAILED, 1);

		assertThat(this.health.isHealthy()).isFalse();
	}

	/** Behind orders that are refused may be others that are not. */
	@Test
	void refusalsOfAllOrdersOpenItAndDoNotDelayTheNextTrial() {
		attempts(REJECTED, 10);
		advance(OPEN_AFTER);
		attempts(REJECTED, 1);
		assertThat(this.health.isHealthy()).isFalse();

		this.health.reserve(1);
		attempts(REJECTED, 1);
		assertThat(this.health.reserve(1)).isZero();
		attempts(THROTTLED, 1);
		assertThat(this.health.reserve(1)).isZero();
		attempts(FAILED, 1);
		assertThat(this.health.reserve(1)).isPositive();
		attempts(SAVED, 1);

		assertThat(this.health.isHealthy()).isTrue();
	}

	@Test
	void triesAnOrderAfterAFortiethOfTheOutageAndAtMostTheLimit() {
		open();
		assertThat(this.health.reserve(1)).isZero();
		attempts(FAILED, 1);
		assertThat(this.health.reserve(1)).isEqualTo(OPEN_AFTER.dividedBy(40));

		advance(Duration.ofSeconds(20).minus(OPEN_AFTER));
		assertThat(this.health.reserve(1)).isZero();
		assertThat(this.health.reserve(1)).isEqualTo(Duration.ofMillis(500));

		advance(Duration.ofHours(1));
		assertThat(this.health.reserve(1)).isZero();
		assertThat(this.health.reserve(1)).isEqualTo(OPEN_FOR);
	}

	/** Without pauses thousands of fast failures a second would come before it opens. */
	@Test
	void triesOrdersNoFasterThanTheyWereSavedWhileNoneIs() {
		Duration save = Duration.ofMillis(100);
		advance(save);
		this.health.attempted(SAVED, this.nanos.get() - save.toNanos());
		attempts(FAILED, 49);
		assertThat(this.health.reserve(20)).as("others may be saved yet").isZero();
		assertThat(this.health.reserve(20)).isZero();

		attempts(FAILED, 1);
		for (int i = 0; i < 10; i++) {
			assertThat(this.health.reserve(20)).isEqualTo(save.dividedBy(20).multipliedBy(i));
		}
		attempts(SAVED, 1);
		assertThat(this.health.reserve(20)).isZero();
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void logsTheBeginningAndTheEndOfAnOutageOnceHoweverManyTrialsFail(CapturedOutput output) {
		open();
		for (int i = 0; i < 3; i++) {
			advance(OPEN_FOR);
			attempts(FAILED, 3);
		}
		assertThat(this.health.outages()).isEqualTo(1);
		assertThat(output).containsOnlyOnce("The circuit breaker opened: nothing was saved for 2 s")
			.contains("The last failure: 500")
			.doesNotContain("The circuit breaker closed");

		attempts(SAVED, 3);

		assertThat(output).containsOnlyOnce("The circuit breaker opened")
			.containsOnlyOnce("The circuit breaker closed: the backend saves again, after 11 s");
	}

	@Test
	void aFailureWhileTheCircuitIsNotClosedCountsAgainstNobody() {
		attempts(SAVED, 1);
		advance(Duration.ofMillis(1));

		assertThat(this.health.attempted(FAILED, this.nanos.get())).isNotNull();
		assertThat(this.health.attempted(new RetryLater(FailureReason.unreachable("gone"), Reach.NOT_REACHED),
				this.nanos.get()))
			.isNull();
		attempts(FAILED, 8);
		advance(OPEN_AFTER);
		assertThat(this.health.attempted(FAILED, this.nanos.get())).as("the circuit breaker opens at it").isNull();
		assertThat(this.health.attempted(FAILED, this.nanos.get())).isNull();
	}

	private void open() {
		attempts(FAILED, 10);
		advance(OPEN_AFTER);
		attempts(FAILED, 1);
	}

	private void attempts(Attempt attempt, int times) {
		for (int i = 0; i < times; i++) {
			this.health.attempted(attempt, this.nanos.get());
		}
	}

	private void advance(Duration time) {
		this.nanos.addAndGet(time.toNanos());
	}

}
