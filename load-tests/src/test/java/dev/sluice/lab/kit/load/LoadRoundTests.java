package dev.sluice.lab.kit.load;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.lab.kit.measure.GatlingLog;
import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.measure.ProcessSamples;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.stack.LabException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoadRoundTests {

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final PhaseOutcome FIRST = outcome("first", 3);

	private static final PhaseOutcome SECOND = outcome("second", 2);

	@Test
	void ofARoundThatWasCutOffOnlyPhasesWhoseCallsAreAllInTheLogHaveAnOutcome() {
		GatlingLog log = new GatlingLog("Simulation", T0, calls(), List.of(), true);

		for (LoadRound.Record cut : List.of(record(log, null, true), record(log, new LabException("died"), false))) {
			assertThat(cut.outcome("first")).hasValue(FIRST);
			assertThat(cut.outcome("second")).isEmpty();
			assertThat(cut.outcome("third")).isEmpty();
		}
	}

	@Test
	void ofARoundWithoutALogNoPhaseHasAnOutcome() {
		assertThat(record(null, null, true).outcome("first")).isEmpty();
	}

	@Test
	void ofAWholeRoundEachPhaseHasAnOutcomeWhateverTheLogSays() {
		LoadRound.Record whole = record(new GatlingLog("Simulation", T0, calls(), List.of(), false), null, false);

		assertThat(whole.outcome("first")).hasValue(FIRST);
		assertThat(whole.outcome("second")).hasValue(SECOND);
	}

	/**
	 * All of the first phase, and of the second one that was taken and one that was not.
	 */
	private static List<Request> calls() {
		return IntStream.range(0, 5)
			.mapToObj((i) -> new Request((i < 3) ? "first" : "second", T0.plusMillis(i), T0.plusMillis(i + 10), i < 4,
					(i < 4) ? "" : "found 503"))
			.toList();
	}

	private static LoadRound.Record record(@Nullable GatlingLog log, @Nullable LabException failure,
			boolean interrupted) {
		return new LoadRound.Record(List.of(FIRST, SECOND), log, ProcessSamples.NONE, failure, interrupted);
	}

	private static PhaseOutcome outcome(String name, long accepted) {
		return new PhaseOutcome(name, accepted, 0, T0.plusSeconds(1),
				new BackendAudit(accepted, accepted, 0, 0, 0, 0, 1, 1, 0, T0.plusSeconds(1)), 0);
	}

}
