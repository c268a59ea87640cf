package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

class WaitsTests {

	private final List<CellResult> cells = new ArrayList<>();

	/** Variant, mode, and what is saved per second at 100, 1,000 and 3,000 offered. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			reactive sync 99 990 2400; servlet-virtual sync 99 600 2400 | sync keeps up with 100 to 1,000/s.
			reactive queued 50 60 70                                    | queued keeps up with none of these rates.
			# one repetition that falls behind is enough
			reactive sync 99 990 2900; reactive sync 99 900 2900        | sync keeps up with 100/s.
			# a rate above one that was not kept does not count
			reactive sync 99 900 3000                                   | sync keeps up with 100/s.
			""")
	void tellsUpToWhichRateEachModeKeepsUp(String cells, String answer) {
		String[] repetitions = cells.split("; ");
		for (int i = 0; i < repetitions.length; i++) {
			String[] words = repetitions[i].split(" ");
			saved(words[0], words[1], i + 1, Stream.of(words).skip(2).mapToDouble(Double::parseDouble).toArray());
		}

		assertThat(answers()).endsWith(answer);
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
