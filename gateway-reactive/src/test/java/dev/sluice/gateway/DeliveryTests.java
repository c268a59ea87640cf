package dev.sluice.gateway;

import java.time.Duration;
import java.time.Instant;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.contract.ProblemType;
import dev.sluice.contract.SavedOrder;
import dev.sluice.contract.Taken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.HttpMethod;
import org.springframework.http.ProblemDetail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

class DeliveryTests {

	private static final SavedOrder SAVED = new SavedOrder(UUID.randomUUID(), Instant.EPOCH);

	private static final IdempotencyKey KEY = new IdempotencyKey("k");

	static Stream<Arguments> failures() {
		return Stream.of(Arguments.of(new Delivery.Refused(500), ProblemType.BACKEND_REFUSED, Taken.UNKNOWN),
				Arguments.of(new Delivery.Refused(400), ProblemType.BACKEND_REFUSED, Taken.UNKNOWN),
				Arguments.of(new Delivery.Unreadable(), ProblemType.BACKEND_REFUSED, Taken.UNKNOWN),
				Arguments.of(new Delivery.TimedOut(Duration.ofSeconds(1)), ProblemType.BACKEND_TIMEOUT, Taken.UNKNOWN),
				Arguments.of(new Delivery.Unreachable(), ProblemType.BACKEND_UNAVAILABLE, Taken.UNKNOWN), Arguments
					.of(new Delivery.CircuitOpen(Duration.ofSeconds(1)), ProblemType.BACKEND_UNAVAILABLE, Taken.NO),
				Arguments.of(new Delivery.Full(), ProblemType.OVERLOADED, Taken.NO));
	}

	@ParameterizedTest
	@MethodSource("failures")
	void promisesThatNothingWasTakenOnlyWhereTheBackendWasNotAsked(Delivery delivery, ProblemType type, Taken taken) {
		ProblemException problem = catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(KEY));

		assertThat(problem.type()).isEqualTo(type);
		assertThat(problem.taken()).isEqualTo(taken);
	}

	@Test
	void isTheOrderThatTheBackendHas() {
		assertThat(new Delivery.Saved(SAVED).savedOrThrow(null)).isEqualTo(SAVED);
	}

	@Test
	void blamesTheKeyWhereThereIsOne() {
		Delivery delivery = new Delivery.Refused(422);

		assertThat(catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(KEY)).type())
			.isEqualTo(ProblemType.KEY_REUSED);
		assertThat(catchThrowableOfType(ProblemException.class, () -> delivery.savedOrThrow(null)).type())
			.isEqualTo(ProblemType.BACKEND_REFUSED);
	}

	@Test
	void promisesNothingToWhoeverOnlyAsks() {
		ProblemException problem = new ProblemException(ProblemType.OVERLOADED, "Full.", Taken.NO);

		assertThat(problem.toResponse(HttpMethod.GET).getBody()).isNotNull()
			.extracting(ProblemDetail::getProperties)
			.isNull();
		assertThat(problem.toResponse(HttpMethod.POST).getBody()).isNotNull()
			.extracting(ProblemDetail::getProperties)
			.hasToString("{taken=NO}");
	}

}
