package dev.sluice.lab.kit.result;

import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CausesResultTests {

	@Test
	void sumsThePausesOfAllTrials() {
		assertThat(CausesResult.pauseShare(List.of(cell(1, 0), cell(2, 0), cell(3, 300)))).isEqualTo(0.1, within(1e-9));
	}

	@Test
	void hasNoShareWhereOneIsNotKnown() {
		assertThat(CausesResult.pauseShare(List.of(cell(1, 0), cell(2, null)))).isNull();
		assertThat(CausesResult.pauseShare(List.of())).isNull();
	}

	/** A cell of one second. */
	private static Cell cell(int trial, @Nullable Integer pauseMillis) {
		Double pause = (pauseMillis != null) ? Double.valueOf(pauseMillis) : null;
		return new Cell(CausesResult.BASE, 1_000, 1, trial, 1, 1_000, 1_000, Map.of(),
				new Latency(500, 1.0, 1.0, 1_000.0, 1_000), 1_000, 1_000, 0,
				new ServiceCost(1.0, 1, pause, pause, 1_000, 1L), 0.0, null);
	}

}
