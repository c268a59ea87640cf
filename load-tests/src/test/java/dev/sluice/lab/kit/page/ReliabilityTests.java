package dev.sluice.lab.kit.page;

import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReliabilityTests {

	private static final Instant START = Instant.parse("2026-11-21T10:00:00Z");

	@Test
	void aCellThatNothingDisturbedIsNotMarked() {
		assertThat(Reliability.of(cell(0.1, 50, null))).isEmpty();
		assertThat(Reliability.of(cell(0.0, 300, null))).isEmpty();
		assertThat(Reliability.of(cell(0.0, null, null))).isEmpty();
	}

	@Test
	void othersWorkALateGeneratorAndProblemsAreMarked() {
		assertThat(Reliability.of(cell(0.11, 5_000, "not all were saved"))).containsExactly("not all were saved",
				"other processes used 11 % of the machine's CPU",
				"the load generator began up to 5,000 ms late, which no latency contains");
		assertThat(Reliability.marked(cell(0.0, 301, null))).isTrue();
	}

	@Test
	void aCellOfWhichTheWorkOfOthersIsNotKnownIsMarked() {
		assertThat(Reliability.of(cell(null, 50, null))).singleElement().asString().contains("is not known");
		assertThat(Reliability.marked(cell(0.1, 50, null))).isFalse();
	}

	@Test
	void aMarkedFigureHasASign() {
		assertThat(Reliability.sign("12 ms", true)).isEqualTo("12 ms †");
		assertThat(Reliability.sign("12 ms", false)).isEqualTo("12 ms");
	}

	private static CellResult cell(@Nullable Double foreign, @Nullable Integer lag, @Nullable String problem) {
		return new CellResult(new Cell("reactive", "sync", "unlimited", Load.inFlight(10), 1), START,
				START.plusSeconds(1), 10, 0, Map.of(), 10, 10, 10, 10, new Latency(310, 300.0, 390.0, 400.0, 400), null,
				null, Map.of(), 0, 0, foreign, lag, problem, List.of());
	}

}
