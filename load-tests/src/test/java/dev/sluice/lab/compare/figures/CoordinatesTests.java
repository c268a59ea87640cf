package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CoordinatesTests {

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void tellsSeriesByBackendThenModeThenVariant() {
		measured("reactive", "queued", "unlimited", 10);
		measured("servlet-async", "sync", "starved", 10);
		measured("reactive", "sync", "starved", 10);
		measured("servlet-platform", "queued", "starved", 10);
		measured("servlet-virtual", "sync", "starved", 10);
		measured("servlet-platform", "sync", "starved", 10);
		measured("reactive", "queued", "workers", 10);

		assertThat(Coordinates.series(run())).containsExactly(new Series("workers", "queued", "reactive"),
				new Series("starved", "sync", "servlet-platform"), new Series("starved", "sync", "servlet-virtual"),
				new Series("starved", "sync", "servlet-async"), new Series("starved", "sync", "reactive"),
				new Series("starved", "queued", "servlet-platform"), new Series("unlimited", "queued", "reactive"));
	}

	@Test
	void unknownNamesComeLastByTheAlphabet() {
		measured("b", "sync", "starved", 10);
		measured("a", "sync", "starved", 10);
		measured("reactive", "sync", "starved", 10);
		measured("reactive", "another", "starved", 10);
		measured("reactive", "sync", "mine", 10);
		measured("reactive", "sync", "aged", 10);

		assertThat(Coordinates.series(run())).extracting(Series::toString)
			.containsExactly("reactive, sync, backend starved", "a, sync, backend starved", "b, sync, backend starved",
					"reactive, another, backend starved", "reactive, sync, backend aged",
					"reactive, sync, backend mine");
		assertThat(Coordinates.capacities(run())).containsExactly("starved", "aged", "mine");
	}

	@Test
	void tellsEachSeriesBackendAndLoadOnce() {
		measured("reactive", "sync", "unlimited", 100, 20, 3);
		measured("reactive", "sync", "unlimited", 100);
		measured("reactive", "sync", "starved", 20);

		assertThat(Coordinates.series(run())).hasSize(2);
		assertThat(Coordinates.capacities(run())).containsExactly("starved", "unlimited");
		assertThat(Coordinates.loads(run())).containsExactly(3, 20, 100);
	}

	@Test
	void drawsEachKnownVariantDifferentlyAndAllOthersAlike() {
		assertThat(List.of("servlet-platform", "servlet-virtual", "servlet-async", "reactive"))
			.extracting(Coordinates::style)
			.doesNotHaveDuplicates()
			.doesNotContain(Coordinates.style("a"));
		assertThat(Coordinates.style("a")).isEqualTo(Coordinates.style("b"));
	}

	@Test
	void looksCloselyAtTheGreatestLoadOfEverySeries() {
		measured("reactive", "sync", "starved", 10, 100, 1000);
		measured("reactive", "queued", "starved", 10, 100, 500);

		assertThat(Coordinates.closeLoad(run(), "starved")).hasValue(100);
	}

	@Test
	void anotherBackendDoesNotChangeTheLoadThatIsLookedAtClosely() {
		measured("reactive", "sync", "starved", 10, 100);
		measured("servlet-async", "sync", "unlimited", 10, 50);

		assertThat(Coordinates.closeLoad(run(), "starved")).hasValue(100);
		assertThat(Coordinates.closeLoad(run(), "unlimited")).hasValue(50);
	}

	@Test
	void looksCloselyAtTheGreatestLoadIfNoneIsOfEverySeries() {
		measured("reactive", "sync", "starved", 10, 1000);
		measured("reactive", "queued", "starved", 100);

		assertThat(Coordinates.closeLoad(run(), "starved")).hasValue(1000);
	}

	@Test
	void looksAtNoLoadOfABackendThatWasNotMeasured() {
		measured("reactive", "sync", "starved", 10);

		assertThat(Coordinates.closeLoad(run(), "unlimited")).isEmpty();
	}

	@Test
	void aRunWithoutCellsCountsOrdersInFlight() {
		assertThat(Coordinates.kind(run())).isEqualTo(Load.Kind.IN_FLIGHT);

		this.cells.add(Runs.rate(new Cell("reactive", "sync", "starved", new Load(Load.Kind.BURST, 10), 1), 1000));

		assertThat(Coordinates.kind(run())).isEqualTo(Load.Kind.BURST);
	}

	@Test
	void findsTheRepetitionsOfASeriesAtALoad() {
		measured("reactive", "sync", "starved", 10, 100);
		measured("reactive", "queued", "starved", 10);
		measured("servlet-async", "sync", "starved", 10);
		measured("reactive", "sync", "unlimited", 10);
		CellResult again = Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), 2), 1000);
		this.cells.add(again);

		assertThat(Coordinates.at(run(), new Series("starved", "sync", "reactive"), 10))
			.containsExactly(this.cells.getFirst(), again);
		assertThat(Coordinates.at(run(), new Series("starved", "sync", "reactive"), 50)).isEmpty();
	}

	private void measured(String variant, String mode, String capacity, int... loads) {
		for (int load : loads) {
			this.cells.add(Runs.rate(new Cell(variant, mode, capacity, Load.inFlight(load), 1), 1000));
		}
	}

	private RunResult run() {
		return Runs.run("compare", null, this.cells, List.of());
	}

}
