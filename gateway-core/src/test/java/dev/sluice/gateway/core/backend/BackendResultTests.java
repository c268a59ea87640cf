package dev.sluice.gateway.core.backend;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAnswer;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.problem.ProblemException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpMethod;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class BackendResultTests {

	private static final SavedOrder SAVED = new SavedOrder(UUID.randomUUID(), Instant.EPOCH);

	private static final IdempotencyKey KEY = new IdempotencyKey("k");

	static Stream<Arguments> failures() {
		return Stream.of(Arguments.of(new BackendResult.Refused(500), ProblemType.BACKEND_REFUSED, Placed.UNKNOWN),
				Arguments.of(new BackendResult.Refused(401), ProblemType.BACKEND_REFUSED, Placed.UNKNOWN),
				Arguments.of(new BackendResult.Rejected(422), ProblemType.BACKEND_REFUSED, Placed.NO),
				Arguments.of(new BackendResult.Rejected(409), ProblemType.BACKEND_REFUSED, Placed.UNKNOWN),
				Arguments.of(new BackendResult.Refused(200), ProblemType.BACKEND_REFUSED, Placed.UNKNOWN),
				Arguments.of(new BackendResult.Busy(429, null), ProblemType.BACKEND_UNAVAILABLE, Placed.UNKNOWN),
				Arguments.of(new BackendResult.TimedOut(Duration.ofSeconds(1)), ProblemType.BACKEND_TIMEOUT,
						Placed.UNKNOWN),
				Arguments.of(new BackendResult.Unreachable(), ProblemType.BACKEND_UNAVAILABLE, Placed.UNKNOWN),
				Arguments.of(BackendResult.CIRCUIT_OPEN, ProblemType.BACKEND_UNAVAILABLE, Placed.NO),
				Arguments.of(BackendResult.FULL, ProblemType.OVERLOADED, Placed.NO));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void promisesThatNothingWasTakenOnlyWhereTheBackendWasNotAskedOrRefusedIt(BackendResult delivery, ProblemType type,
			Placed placed) {
		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(KEY));

		assertThat(problem.type()).isEqualTo(type);
		assertThat(problem.placed()).isEqualTo(placed);
	}

	static Stream<Arguments> consequences() {
		Duration second = Duration.ofSeconds(1);
		return Stream.of(Arguments.of(new BackendResult.Saved(SAVED), false, false),
				Arguments.of(new BackendResult.Rejected(400), false, false),
				Arguments.of(new BackendResult.Conflict(), false, false),
				Arguments.of(new BackendResult.NotFound(), false, false),
				Arguments.of(new BackendResult.Refused(401), true, false),
				Arguments.of(new BackendResult.Refused(204), true, false),
				Arguments.of(new BackendResult.Refused(408), true, true),
				Arguments.of(new BackendResult.Refused(500), true, true),
				Arguments.of(new BackendResult.Busy(429, null), false, false),
				Arguments.of(new BackendResult.Busy(429, second), false, false),
				Arguments.of(new BackendResult.Busy(503, null), false, false),
				Arguments.of(new BackendResult.Busy(503, second), false, false),
				Arguments.of(new BackendResult.Refused(200), true, true),
				Arguments.of(new BackendResult.TimedOut(second), true, true),
				Arguments.of(new BackendResult.Unreachable(), true, true),
				Arguments.of(BackendResult.CIRCUIT_OPEN, false, false), Arguments.of(BackendResult.FULL, false, false));
	}

	@ParameterizedTest
	@MethodSource("consequences")
	void saysWhetherTheCircuitCountsItAndAnotherAttemptMayFollow(BackendResult result, boolean failure,
			boolean repeated) {
		assertThat(result.isFailure()).as("failure").isEqualTo(failure);
		assertThat(result.mayBeRepeated()).as("may be repeated").isEqualTo(repeated);
	}

	@Test
	void trustsNoRefusalAfterAnAttemptThatMayHaveSucceeded() {
		BackendResult earlier = new BackendResult.Unreachable();

		assertThat(new BackendResult.Rejected(422).after(earlier)).isEqualTo(new BackendResult.Refused(422));
		assertThat(new BackendResult.Saved(SAVED).after(earlier)).isEqualTo(new BackendResult.Saved(SAVED));
		assertThat(BackendResult.FULL.after(earlier)).isEqualTo(earlier);
	}

	@Test
	void blamesTheKeyWhereThereIsOne() {
		BackendResult delivery = new BackendResult.Conflict();

		assertThat(catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(KEY)).type())
			.isEqualTo(ProblemType.KEY_REUSED);
		assertThat(catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(null)).type())
			.isEqualTo(ProblemType.BACKEND_REFUSED);
	}

	@ParameterizedTest
	@CsvSource({ "7, 7", "0, 1", "-5, 1", "86400, 60", "99999999999999999999, 60", "soon, 1", "'', 1",
			"'Mon, 23 Nov 2026 10:00:30 GMT', 30", "'Mon, 23 Nov 2026 09:00:00 GMT', 1",
			"'Tue, 24 Nov 2026 10:00:00 GMT', 60" })
	void passesOnWhenTheBackendWantsToBeAskedAgain(String header, String seconds) {
		BackendResult delivery = new BackendResult.Busy(503,
				BackendAnswer.retryAfter(header, Instant.parse("2026-11-23T10:00:00Z")));

		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(null));

		assertThat(problem.toResponse(HttpMethod.POST, "/orders").getHeaders().getFirst("Retry-After"))
			.isEqualTo(seconds);
	}

	@Test
	void cutsTheTimeOfSavingToWhatPostgresKeeps() {
		BackendResult delivery = new BackendResult.Saved(
				new SavedOrder(SAVED.id(), Instant.parse("2026-11-23T10:00:00.123456789Z")));

		assertThat(delivery.savedOrThrow(null).savedAt()).isEqualTo(Instant.parse("2026-11-23T10:00:00.123456Z"));
	}

}
