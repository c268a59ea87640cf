package dev.sluice.lab.chaos;

import dev.sluice.lab.chaos.Answer.Meaning;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
		assertThat(Answer.of(409, null).meaning()).isEqualTo(Meaning.OPEN);
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 502, 503, 504 })
	void failureThatPromisesThatNothingWasTakenIsARefusal(int status) {
		assertThat(Answer.of(status, "no")).isEqualTo(new Answer("" + status, Meaning.REFUSED, true));
	}

	@ParameterizedTest
	@ValueSource(ints = { 500, 502, 503, 504 })
	void failureThatPromisesNothingLeavesTheOrderOpen(int status) {
		Answer open = new Answer("" + status, Meaning.OPEN, true);

		assertThat(Answer.of(status, "unknown")).isEqualTo(open);
		assertThat(Answer.of(status, "perhaps")).isEqualTo(open);
		assertThat(Answer.of(status, null)).isEqualTo(open);
	}

	@Test
	void onlyWhoWasNeverReachedHasCertainlyTakenNothing() {
		assertThat(Answer.UNREACHABLE.meaning()).isEqualTo(Meaning.REFUSED);
		assertThat(Answer.TIMEOUT.meaning()).isEqualTo(Meaning.OPEN);
		assertThat(Answer.BROKEN.meaning()).isEqualTo(Meaning.OPEN);
	}

}
