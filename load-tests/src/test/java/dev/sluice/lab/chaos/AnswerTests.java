package dev.sluice.lab.chaos;

import dev.sluice.lab.chaos.Answer.Meaning;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class AnswerTests {

	@ParameterizedTest
	@CsvSource({ "200, no, ACCEPTED, false", "201,, ACCEPTED, false", "202,, ACCEPTED, false",
			// Refusal of the request is final, of too many requests it is not.
			"400,, REFUSED, false", "413,, REFUSED, false", "422,, REFUSED, false", "429,, REFUSED, true",
			// What is in progress may become accepted.
			"409,, OPEN, true",
			// A failure is a refusal only if it promises that nothing was placed.
			"500, no, REFUSED, true", "503, no, REFUSED, true", "504, no, REFUSED, true", "503, unknown, OPEN, true",
			"503, perhaps, OPEN, true", "500,, OPEN, true", "502,, OPEN, true", "504,, OPEN, true" })
	void saysWhatTheClientMayConclude(int status, @Nullable String placed, Meaning meaning, boolean again) {
		assertThat(Answer.of(status, placed)).isEqualTo(new Answer("" + status, meaning, again));
	}

	@Test
	void onlyWhoWasNeverReachedHasCertainlyTakenNothing() {
		assertThat(Answer.UNREACHABLE.meaning()).isEqualTo(Meaning.REFUSED);
		assertThat(Answer.TIMEOUT.meaning()).isEqualTo(Meaning.OPEN);
		assertThat(Answer.BROKEN.meaning()).isEqualTo(Meaning.OPEN);
	}

}
