package dev.sluice.lab.kit.load;

import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.lab.kit.measure.GatlingLog;
import dev.sluice.lab.kit.measure.GatlingLog.Request;
import dev.sluice.lab.kit.process.ProcessSamples;
import dev.sluice.lab.kit.plan.PhaseOutcome;
import dev.sluice.lab.kit.plan.WarmUpWindow;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class LoadRoundTests {

	private static final Instant T0 = Instant.parse("2026-01-01T00:00:00Z");

	private static final PhaseOutcome FIRST = outcome("first", 3);

	private static final PhaseOutcome SECOND = outcome("second", 2);

	@Test
	void ofARoundThatWasCutOffOnlyPhasesWhoseCallsAreAllInTheLogHaveAnOutcome() {
		GatlingLog log = new GatlingLog("Simulation", T0, calls(), List.of(), true);

		assertThat(LoadRound.complete(List.of(FIRST, SECOND), log)).containsExactly(FIRST);
	}

	@Test
	void aWarmUpHasAnOutcomeThoughItsCallsAreNotLogged() {
		PhaseOutcome warmUp = new PhaseOutcome("warm-up", 9, 9, 0, T0, SECOND.audit(), 0,
				List.of(new WarmUpWindow(5, 100, 1.0, 0.01)));

		assertThat(LoadRound.complete(List.of(warmUp), new GatlingLog("Simulation", T0, calls(), List.of(), true)))
			.containsExactly(warmUp);
	}

	@Test
	void aPhaseThatDidNotEndHasNoOutcome() {
		LoadRound.Record whole = new LoadRound.Record(List.of(FIRST), null, ProcessSamples.NONE, null, false);

		assertThat(whole.outcome("first")).hasValue(FIRST);
		assertThat(whole.outcome("second")).isEmpty();
	}

	/**
	 * All calls of the first phase, and of the second one that was accepted and one that
	 * was not.
	 */
	private static List<Request> calls() {
		return IntStream.range(0, 5)
			.mapToObj((i) -> new Request((i < 3) ? "first" : "second", T0.plusMillis(i), T0.plusMillis(i + 10), i < 4,
					(i < 4) ? "" : "found 503"))
			.toList();
	}

	private static PhaseOutcome outcome(String name, long accepted) {
		return new PhaseOutcome(name, accepted, accepted, 0, T0.plusSeconds(1),
				new BackendAudit(accepted, accepted, 0, 0, 0, 0, 1, 1, 0, T0.plusSeconds(1)), 0, List.of());
	}

}
