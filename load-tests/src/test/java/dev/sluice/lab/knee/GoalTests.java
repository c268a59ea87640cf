package dev.sluice.lab.knee;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import dev.sluice.lab.kit.statistics.Timing;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class GoalTests {

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

}
