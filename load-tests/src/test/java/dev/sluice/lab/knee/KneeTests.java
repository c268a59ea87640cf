package dev.sluice.lab.knee;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.result.KneeResult.Step;
import dev.sluice.lab.kit.stack.LabException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KneeTests {

	private final KneeSearch search = new KneeSearch(100);

	private static final Tally WELL = new Tally(100, 100, 0, 100, 0, Map.of());

	private final Goal goal = Goal.of(List.of("p99=100ms", "saved-p99=2s"));

	@Test
	void whatIsNotSaidStaysTheDefault() {
		assertThat(Goal.of(List.of("p99=1s"))).isEqualTo(new Goal(Duration.ofSeconds(1), Goal.DEFAULT.savedP99()));
		assertThat(this.goal).isEqualTo(new Goal(Duration.ofMillis(100), Duration.ofSeconds(2)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "p99", "p99=200", "p95=1s", "p99=0ms", "p99=-1ms", "p99=1m" })
	void refusesWhatItDoesNotUnderstand(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> Goal.of(List.of(text))).withMessageContaining(text);
	}

	@Test
	void isMetWhereNothingFailedAndTheAnswersCameInTime() {
		assertThat(this.goal.missed(Mode.SYNC, WELL, timing(100), null, 100)).isNull();
		assertThat(this.goal.missed(Mode.QUEUED, WELL, timing(100), 2_000.0, 0)).isNull();
	}

	@Test
	void isMissedByASlowAnswer() {
		assertThat(this.goal.missed(Mode.SYNC, WELL, timing(100.5), null, 0)).contains("p99");
	}

	@Test
	void isMissedByAQueuedOrderSavedLateOrNotAtAll() {
		assertThat(this.goal.missed(Mode.QUEUED, WELL, timing(5), 2_001.0, 0)).contains("saved-p99");
		assertThat(this.goal.missed(Mode.QUEUED, WELL, timing(5), null, 0)).contains("not saved");
	}

	@Test
	void isMissedByQueuedOrdersThatPileUpHoweverSoonTheyAreSaved() {
		assertThat(this.goal.missed(Mode.QUEUED, WELL, timing(5), 900.0, 40)).contains("40 more orders wait");
		assertThat(this.goal.missed(Mode.QUEUED, WELL, timing(5), 900.0, 3)).isNull();
		assertThat(this.goal.missed(Mode.QUEUED, WELL, timing(5), 900.0, -40)).isNull();
	}

	@Test
	void isMissedByARequestThatFailedOrWasNotSentOrHasNoAnswer() {
		assertThat(
				this.goal.missed(Mode.SYNC, new Tally(100, 100, 0, 100, 0, Map.of("HTTP 503", 1L)), timing(5), null, 0))
			.contains("HTTP 503");
		assertThat(this.goal.missed(Mode.SYNC, new Tally(100, 99, 1, 99, 0, Map.of()), timing(5), null, 0))
			.contains("not sent");
		assertThat(this.goal.missed(Mode.SYNC, new Tally(100, 100, 0, 99, 1, Map.of()), timing(5), null, 0))
			.contains("without an answer");
	}

	@Test
	void ofTooFewForAPercentileAllMustBeInTime() {
		assertThat(this.goal.missed(Mode.SYNC, WELL, new Timing(1.0, 1, 1.0, null, null, 100), null, 0)).isNull();
		assertThat(this.goal.missed(Mode.SYNC, WELL, new Timing(1.0, 1, 1.0, null, null, 101), null, 0))
			.isEqualTo("slowest of too few for a p99 101 ms");
	}

	private static Timing timing(double p99) {
		return new Timing(1.0, 1, 1.0, 1.0, p99, 10_000);
	}

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

	@ParameterizedTest
	@ValueSource(doubles = { 3, 51, 99.9, 100, 777, 3_333, 12_000 })
	void findsTheGreatestRateWithinFivePercent(double knee) {
		int steps = run(knee);

		assertThat(this.search.held()).isNotNull().isBetween(knee / (1 + KneeSearch.PRECISION), knee);
		assertThat(this.search.failed()).isNotNull().isGreaterThan(knee);
		assertThat(steps).isLessThan(16);
	}

	@Test
	void triesNoMoreThanTheMost() {
		run(1e9);

		assertThat(this.search.held()).isEqualTo(KneeSearch.MOST);
		assertThat(this.search.failed()).isNull();
	}

	@Test
	void endsWhereNothingHolds() {
		run(0);

		assertThat(this.search.held()).isNull();
		assertThat(this.search.failed()).isEqualTo(KneeSearch.LEAST);
	}

	@Test
	void doesNotBelieveTheFirstRateThatDoesNotHold() {
		this.search.record(100, true);
		this.search.record(200, false);

		assertThat(this.search.next()).hasValue(200);

		this.search.record(200, true);
		assertThat(this.search.next()).hasValue(400);
	}

	private int run(double knee) {
		int steps = 0;
		for (OptionalDouble rate = this.search.next(); rate.isPresent(); rate = this.search.next()) {
			this.search.record(rate.getAsDouble(), rate.getAsDouble() <= knee);
			assertThat(++steps).as("steps").isLessThan(100);
		}
		return steps;
	}

}
