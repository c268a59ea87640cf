package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class WaitsTests {

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void tellsUpToWhichRateEachModeKeepsUp() {
		saved("reactive", "sync", 1, 99, 990, 2_400);
		saved("servlet-virtual", "sync", 1, 99, 600, 2_400);
		saved("reactive", "queued", 1, 50, 60, 70);

		assertThat(answers()).contains("100 to 1,000/s", "none of these");
	}

	@Test
	void oneRepetitionThatFallsBehindIsEnough() {
		saved("reactive", "sync", 1, 99, 990, 2_900);
		saved("reactive", "sync", 2, 99, 900, 2_900);

		assertThat(answers()).endsWith("sync keeps up with 100/s.");
	}

	@Test
	void aRateAboveOneThatWasNotKeptDoesNotCount() {
		saved("reactive", "sync", 1, 99, 900, 3_000);

		assertThat(answers()).endsWith("sync keeps up with 100/s.");
	}

	@Test
	void tellsHowLongClientsWaitAtTheHighestRate() {
		saved("reactive", "sync", 1, 99, 990, 2_990);
		saved("servlet-virtual", "sync", 1, 99, 990, 2_990);
		this.cells.replaceAll((cell) -> Runs.waiting(cell, waited(cell.cell().variant().length()), waited(80)));

		assertThat(answers())
			.endsWith("sync keeps up with 3,000/s, at 3,000/s it answers after 8 to 15 ms and saves after 80 ms.");
	}

	@Test
	void theLinesOfBothModesDiffer() {
		saved("reactive", "sync", 1, 99, 990, 2_990);
		saved("reactive", "queued", 1, 99, 990, 2_990);

		assertThat(ComparePage.lines(CellGroup.of(run()), Series::mode, CellResult::savedPerSecond))
			.extracting(Chart.Line::name, Chart.Line::dashed)
			.containsExactly(tuple("sync", true), tuple("queued", false));
	}

	private static Wait waited(double millis) {
		return new Wait(100, 0, millis, null, null);
	}

	private String answers() {
		return String.join("; ", Waits.answers(run()));
	}

	private RunResult run() {
		return Runs.run("compare", null, this.cells);
	}

	private void saved(String variant, String mode, int repetition, double... perSecond) {
		int[] rates = { 100, 1_000, 3_000 };
		for (int i = 0; i < rates.length; i++) {
			this.cells
				.add(Runs.rate(new Cell(variant, mode, "unlimited", new Load(Load.Kind.OFFERED, rates[i]), repetition),
						perSecond[i]));
		}
	}

}
