package dev.sluice.lab.measure;

import dev.sluice.contract.ProblemType;
import dev.sluice.lab.measure.Answer.Meaning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class AnswerTests {

	@ParameterizedTest
	@ValueSource(ints = { 200, 201, 202 })
	void everyTwoHundredIsAPromise(int status) {
		assertThat(Answer.of(status, null)).isEqualTo(new Answer("" + status, Meaning.ACCEPTED, false));
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 413, 415, 422 })
	void refusalOfTheRequestIsFinal(int status) {
		assertThat(Answer.of(status, null)).isEqualTo(new Answer("" + status, Meaning.REFUSED, false));
	}

	@Test
	void overTheLimitNothingIsTakenAndTheClientComesAgain() {
		assertThat(Answer.of(429, null)).isEqualTo(new Answer("429", Meaning.REFUSED, true));
	}

	@Test
	void repeatOfWhatIsInProgressSaysNothingOfTheFirst() {
		assertThat(Answer.of(409, ProblemType.IN_PROGRESS.type().toString()).meaning()).isEqualTo(Meaning.OPEN);
	}

	@ParameterizedTest
	@EnumSource(value = ProblemType.class, names = { "OVERLOADED", "SHUTTING_DOWN" })
	void shedBeforeAnythingIsARefusal(ProblemType type) {
		assertThat(Answer.of(type.status(), type.type().toString()))
			.isEqualTo(new Answer("503", Meaning.REFUSED, true));
	}

	@ParameterizedTest
	@EnumSource(value = ProblemType.class,
			names = { "QUEUE_UNAVAILABLE", "BACKEND_UNAVAILABLE", "BACKEND_TIMEOUT", "BACKEND_REFUSED", "INTERNAL" })
	void failureAfterTheOrderMayHaveBeenSentLeavesItOpen(ProblemType type) {
		Answer answer = Answer.of(type.status(), type.type().toString());

		assertThat(answer.meaning()).isEqualTo(Meaning.OPEN);
		assertThat(answer.again()).isTrue();
	}

	@Test
	void onlyWhoWasNeverReachedHasCertainlyTakenNothing() {
		assertThat(Answer.UNREACHABLE.meaning()).isEqualTo(Meaning.REFUSED);
		assertThat(Answer.TIMEOUT.meaning()).isEqualTo(Meaning.OPEN);
		assertThat(Answer.BROKEN.meaning()).isEqualTo(Meaning.OPEN);
	}

}
