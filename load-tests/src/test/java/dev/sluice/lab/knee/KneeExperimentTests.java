package dev.sluice.lab.knee;

import java.util.Map;

import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.result.KneeResult.Step;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class KneeExperimentTests {

	@Test
	void aSystemThatRefusesAllOrdersIsNoKnee() {
		Step last = step(new Tally(40, 40, 0, 38, 2, Map.of("HTTP 503", 38L)));

		assertThatExceptionOfType(LabException.class)
			.isThrownBy(() -> KneeExperiment.checkAnySucceeded("reactive sync", last))
			.withMessage(
					"reactive sync: none of 40 requests succeeded, at no more than 2/s: 38 requests failed: HTTP 503. Read the logs of the gateway and of the backend");
	}

	@Test
	void aSystemThatAnswersOneOrderHasAKnee() {
		Step last = step(new Tally(40, 40, 0, 40, 0, Map.of("HTTP 503", 39L)));

		assertThatCode(() -> KneeExperiment.checkAnySucceeded("reactive sync", last)).doesNotThrowAnyException();
	}

	@Test
	void nothingSentSaysNothingOfTheSystem() {
		Step last = step(new Tally(40, 0, 40, 0, 0, Map.of()));

		assertThatCode(() -> KneeExperiment.checkAnySucceeded("reactive sync", last)).doesNotThrowAnyException();
	}

	private static Step step(Tally tally) {
		return new Step(2, null, null, tally, 0, null, null, "38 requests failed: HTTP 503");
	}

}
