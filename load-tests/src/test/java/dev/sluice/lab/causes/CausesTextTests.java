package dev.sluice.lab.causes;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CausesTextTests {

	@Test
	void sumsThePausesOfAllTrials() {
		CausesResult result = new CausesResult("servlet-platform", 100, 1_000,
				List.of(new CausesResult.FactorLevels(CausesResult.BASE, Map.of(), true)),
				List.of(cell(1, 0), cell(2, 0), cell(3, 300)));

		assertThat(CausesText.of(result)).contains("1,000").contains(" 10 %");
	}

	@Test
	void hasNoFigureForWhatIsNotKnown() {
		CausesResult result = new CausesResult("servlet-platform", 100, 1_000,
				List.of(new CausesResult.FactorLevels(CausesResult.BASE, Map.of(), true)), List.of(cell(1, null)));

		assertThat(CausesText.of(result).stripTrailing()).endsWith("–");
	}

	/** A cell of one second. */
	private static Cell cell(int trial, @Nullable Integer pauseMillis) {
		Double pause = (pauseMillis != null) ? Double.valueOf(pauseMillis) : null;
		return new Cell(CausesResult.BASE, 1_000, 1, trial, 1, 1_000, 1_000, Map.of(),
				new Latency(500, 1.0, 1.0, 1_000.0, 1_000), 1_000, 1_000, 0,
				new ServiceCost(1.0, 1.0, 1.0, 1, pause, pause, 1_000, 1L, null, null), 0.0, null);
	}

}
