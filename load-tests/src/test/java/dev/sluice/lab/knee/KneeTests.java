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
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class KneeTests {

	private final KneeSearch search = new KneeSearch(100);

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

	/**
	 * Of 100 requests: sent, answered, failed; slowest and p99; p99 until saved; more
	 * that wait.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', nullValues = "-", textBlock = """
			SYNC   | 100 | 100 | 0 | 100 | 100   | -    | 100 | null
			QUEUED | 100 | 100 | 0 | 100 | 100   | 2000 | 0   | null
			SYNC   | 100 | 100 | 0 | 101 | 100.5 | -    | 0   | p99 1
			QUEUED | 100 | 100 | 0 | 5   | 5     | 2001 | 0   | saved-p99
			QUEUED | 100 | 100 | 0 | 5   | 5     | -    | 0   | not saved
			# they pile up, however soon they are saved
			QUEUED | 100 | 100 | 0 | 5   | 5     | 900  | 40  | 40 more orders wait
			QUEUED | 100 | 100 | 0 | 5   | 5     | 900  | 3   | null
			QUEUED | 100 | 100 | 0 | 5   | 5     | 900  | -40 | null
			SYNC   | 100 | 100 | 1 | 5   | 5     | -    | 0   | HTTP 503
			SYNC   | 99  | 99  | 0 | 5   | 5     | -    | 0   | not sent
			SYNC   | 100 | 99  | 0 | 5   | 5     | -    | 0   | without an answer
			# of too few for a percentile all must be in time
			SYNC   | 100 | 100 | 0 | 100 | -     | -    | 0   | null
			SYNC   | 100 | 100 | 0 | 101 | -     | -    | 0   | slowest of too few for a p99 101 ms
			""")
	void isMissedByWhatFailsOrIsTooLate(Mode mode, int sent, int answered, long failed, double slowest,
			@Nullable Double p99, @Nullable Double saved, long leftBehind, String missed) {
		Tally tally = new Tally(100, sent, 100 - sent, answered, sent - answered, Map.of("HTTP 503", failed));

		assertThat(String
			.valueOf(this.goal.missed(mode, tally, new Timing(1.0, 1, 1.0, null, p99, slowest), saved, leftBehind)))
			.contains(missed);
	}

	@Test
	void aSystemThatRefusesOrSavesNoOrderIsNoKnee() {
		Step refused = step(new Tally(40, 40, 0, 38, 2, Map.of("HTTP 503", 38L)), "38 requests failed: HTTP 503");
		Step unsaved = step(new Tally(40, 40, 0, 40, 0, Map.of()), "accepted orders were not saved in time");

		assertThatExceptionOfType(LabException.class)
			.isThrownBy(() -> KneeExperiment.checkAnySucceeded("reactive sync", refused, true))
			.withMessage(
					"reactive sync: of 40 orders none was accepted, at no more than 2/s: 38 requests failed: HTTP 503. Read the logs of the gateway, the consumer and the backend");
		assertThatExceptionOfType(LabException.class)
			.isThrownBy(() -> KneeExperiment.checkAnySucceeded("reactive queued", unsaved, false))
			.withMessageStartingWith(
					"reactive queued: of 40 orders none was saved, at no more than 2/s: accepted orders were not saved in time.");
	}

	@Test
	void aSystemThatAnswersOneOrderHasAKneeAndNothingSentSaysNothingOfIt() {
		for (Tally tally : List.of(new Tally(40, 40, 0, 40, 0, Map.of("HTTP 503", 39L)),
				new Tally(40, 0, 40, 0, 0, Map.of()))) {
			KneeExperiment.checkAnySucceeded("reactive sync", step(tally, "requests failed"), true);
		}
	}

	private static Step step(Tally tally, String missed) {
		return new Step(2, null, null, tally, 0, null, null, missed);
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
