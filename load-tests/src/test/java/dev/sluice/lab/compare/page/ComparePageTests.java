package dev.sluice.lab.compare.page;

import java.util.List;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.RunResult.LeftOut;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ComparePageTests {

	@Test
	void tellsHowManyCellsWereLeftOutForWhatReason() {
		assertThat(ComparePage.text(Runs.partial()).lines()).endsWith(
				"† 1 of 24 cells are unreliable; the report says why.",
				"4 cells left out: takes longer than --quick allows.", "4 cells left out: interrupted.");
	}

	@Test
	void marksWhatIsToBeTakenWithCare() {
		CellResult well = Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), 1), 600);
		CellResult bad = Runs.bare(new Cell("reactive", "sync", "starved", Load.inFlight(100), 1),
				"gave up after 60 s");

		assertThat(ComparePage.text(Runs.run("compare", null, List.of(well, bad), List.of())).lines()).contains(
				"Orders saved per second, backend starved; by orders in flight", "Variant   Mode   10     100",
				"reactive  sync  600  6.87 †", "† 1 of 2 cells are unreliable; the report says why.");
	}

	@Test
	void theVerdictComesFirst() {
		assertThat(ComparePage.text(Runs.full()).lines()).first().asString().startsWith("Slow backend (starved): ");
	}

	@Test
	void oneCellIsOne() {
		LeftOut leftOut = new LeftOut(new Cell("reactive", "sync", "starved", Load.inFlight(10), 1),
				"the run ended before");

		assertThat(ComparePage.text(Runs.run("compare", null, List.of(), List.of(leftOut))))
			.endsWith("1 cell left out: the run ended before.%n".formatted());
	}

	@Test
	void fitsATerminalOf100Columns() {
		assertThat(ComparePage.text(Runs.full()).lines().filter((line) -> line.startsWith("servlet-platform")))
			.isNotEmpty()
			.allSatisfy((line) -> assertThat(line).hasSizeLessThanOrEqualTo(100));
	}

}
