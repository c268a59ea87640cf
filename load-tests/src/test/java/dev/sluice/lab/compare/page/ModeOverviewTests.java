package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ModeOverviewTests {

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void namesTheLoadsOfEachVerdictForEachBackend() {
		pairs("starved", 10, 1.2, 1.5);
		pairs("starved", 100, 0.5, 0.5);
		pairs("starved", 1_000, 2, 2);
		pairs("unlimited", 10, 1, 1.1);
		this.cells.add(Runs.bare(new Cell("reactive", "sync", "starved", Load.inFlight(1_000), 3), "gave up"));
		this.cells.add(Runs.rate(new Cell("reactive", "queued", "starved", Load.inFlight(1_000), 3), 68.7));

		assertThat(answers()).satisfiesExactly(
				(slow) -> assertThat(slow).startsWith("Slow backend (starved): ")
					.contains("1,000 † in flight", "100 in flight", "(× 1.2 to 1.5)"),
				(fast) -> assertThat(fast).startsWith("Fast backend (unlimited): ").contains("at every load"));
	}

	@Test
	void aBackendWithoutANameIsCalledAsItIs() {
		pairs("mine", 10, 1);

		assertThat(answers()).singleElement().asString().startsWith("Backend mine: ");
	}

	private List<String> answers() {
		return ModeOverview.answers(ModeByLoad.of(Runs.run("compare", null, this.cells, List.of())));
	}

	private void pairs(String capacity, int load, double... ratios) {
		for (int i = 0; i < ratios.length; i++) {
			this.cells.add(Runs.rate(new Cell("reactive", "sync", capacity, Load.inFlight(load), i + 1), 1_000));
			this.cells.add(
					Runs.rate(new Cell("reactive", "queued", capacity, Load.inFlight(load), i + 1), 1_000 * ratios[i]));
		}
	}

}
