package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import dev.sluice.lab.Report;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

class ComparePageTests {

	@Test
	void marksWhatIsToBeTakenWithCare() {
		CellResult well = Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), 1), 600);
		CellResult bad = Runs.bare(new Cell("reactive", "sync", "starved", Load.inFlight(100), 1),
				"gave up after 60 s");

		assertThat(Report.text(Runs.run("compare", null, List.of(well, bad))).lines()).contains(
				"Slow backend (starved): orders saved per second; by orders in flight", "Variant   Mode   10     100",
				"reactive  sync  600  6.87 †", "† 1 of 2 cells are unreliable; the report says why.");
	}

	/** What others used of the CPU, whether the services were warm, and the length. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-",
			textBlock = """
					0.6 | false | -        | Nothing is concluded: 3 of 4 cells are unreliable, 3 of them because other processes used up to 60 % of the machine's CPU. Measure again while nothing else runs.
					0.0 | false | -        | Nothing is concluded: a check of this run failed (The services were warm: 0 of 1 were).
					0.0 | true  | smallest | Everything works. This was the smallest run, which concludes nothing about the modes.
					""")
	void nothingIsConcludedFromABusyMachineOrWhereACheckFailsOrFromTheSmallestRun(double foreign, boolean warm,
			@Nullable String length, String first) {
		RunResult run = Runs.run("compare", null,
				new CompareResult(pairs(foreign, foreign / 2, foreign / 2, 0.0), null, null, length),
				List.of(new RunResult.Check("The services were warm", warm, "0 of 1 were")));

		assertThat(Report.text(run).lines()).first().isEqualTo(first);
		assertThat(Report.text(run)).doesNotContain("Bottleneck of", "queued saves");
		assertThat(ComparePage.sections(run, (CompareResult) Objects.requireNonNull(run.finding())))
			.extracting(Section::title)
			.doesNotContain("Which mode for which load?", "Which differences can be believed?");
	}

	@Test
	void halfOfTheCellsMayBeUnreliableAndWhatIsNotKnownSpeaksAgainstNone() {
		assertThat(Report.text(Runs.run("compare", null, pairs(0.4, 0.2, 0.0, 0.0))))
			.doesNotContain("Nothing is concluded");
		assertThat(Report.text(Runs.run("compare", null, pairs(null, null, null, null))))
			.doesNotContain("Nothing is concluded");
	}

	/** Two pairs, during whose cells other processes used these shares of the CPU. */
	private static List<CellResult> pairs(@Nullable Double... foreign) {
		List<CellResult> cells = new ArrayList<>();
		for (Double share : foreign) {
			cells.add(Runs.rate(new Cell("reactive", (cells.size() % 2 == 0) ? "sync" : "queued", "unlimited",
					Load.inFlight(10), 1 + cells.size() / 2), 100, share));
		}
		return cells;
	}

	@Test
	void fitsATerminalOf100Columns() {
		assertThat(Report.text(Runs.full()).lines().filter((line) -> line.startsWith("servlet-platform"))).isNotEmpty()
			.allSatisfy((line) -> assertThat(line).hasSizeLessThanOrEqualTo(100));
	}

}
