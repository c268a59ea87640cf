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
			.isThrownBy(() -> KneeExperiment.checkAnySucceeded("reactive sync", last, true))
			.withMessage(
					"reactive sync: of 40 orders none was accepted, at no more than 2/s: 38 requests failed: HTTP 503. Read the logs of the gateway, the consumer and the backend");
	}

	@Test
	void aSystemThatAnswersOneOrderHasAKneeAndNothingSentSaysNothingOfIt() {
		Step one = step(new Tally(40, 40, 0, 40, 0, Map.of("HTTP 503", 39L)));
		Step none = step(new Tally(40, 0, 40, 0, 0, Map.of()));

		assertThatCode(() -> KneeExperiment.checkAnySucceeded("reactive sync", one, true)).doesNotThrowAnyException();
		assertThatCode(() -> KneeExperiment.checkAnySucceeded("reactive sync", none, true)).doesNotThrowAnyException();
	}

	@Test
	void aSystemThatSavesNoOrderIsNoKnee() {
		Step last = new Step(2, null, null, new Tally(40, 40, 0, 40, 0, Map.of()), 0, null, null,
				"accepted orders were not saved in time");

		assertThatExceptionOfType(LabException.class)
			.isThrownBy(() -> KneeExperiment.checkAnySucceeded("reactive queued", last, false))
			.withMessageStartingWith(
					"reactive queued: of 40 orders none was saved, at no more than 2/s: accepted orders were not saved in time.");
	}

	private static Step step(Tally tally) {
		return new Step(2, null, null, tally, 0, null, null, "38 requests failed: HTTP 503");
	}

}
