package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.backend.BackendResult;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.Reading;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class StatusProblemTests {

	private static final UUID ID = new UUID(0, 1);

	@Test
	void isNotFoundWhereNoSourceHasIt() {
		ProblemException problem = StatusProblem.unknown(ID, Reading.CURRENT, new BackendResult.NotFound());

		assertThat(problem.type()).isEqualTo(ProblemType.NOT_FOUND);
		assertThat(problem).hasMessageContaining(ID.toString());
	}

	@ParameterizedTest
	@EnumSource(value = Reading.class, names = "CURRENT", mode = EnumSource.Mode.EXCLUDE)
	void isNotKnownYetWhileKafkaIsNotReadToItsEnd(Reading reading) {
		assertUnavailable(StatusProblem.unknown(ID, reading, new BackendResult.NotFound()), "not known yet");
	}

	@ParameterizedTest
	@MethodSource
	void isNotDeniedWhileTheBackendMayHaveIt(BackendResult answer) {
		assertUnavailable(StatusProblem.unknown(ID, Reading.CURRENT, answer), "backend does not answer");
	}

	static Stream<BackendResult> isNotDeniedWhileTheBackendMayHaveIt() {
		return Stream.of(new BackendResult.Refused(400), new BackendResult.Busy(503, null),
				new BackendResult.Unreadable(), new BackendResult.TimedOut(Duration.ofSeconds(1)),
				new BackendResult.Unreachable(), new BackendResult.CircuitOpen(), new BackendResult.Full());
	}

	@Test
	void saysWhichStoreDoesNotAnswer() {
		assertUnavailable(StatusProblem.unavailable(), "status store does not answer");
		assertUnavailable(StatusProblem.unavailable(ID), ID.toString());
		assertUnavailable(StatusProblem.keyNotKnown(), "Idempotency-Key");
	}

	private static void assertUnavailable(ProblemException problem, String detail) {
		assertThat(problem.type()).isEqualTo(ProblemType.STATUS_UNAVAILABLE);
		assertThat(problem.placed()).isEqualTo(Placed.NO);
		assertThat(problem).hasMessageContaining(detail);
	}

}
