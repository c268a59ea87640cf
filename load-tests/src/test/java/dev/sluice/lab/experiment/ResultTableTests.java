package dev.sluice.lab.experiment;

import java.util.List;

import dev.sluice.lab.result.Cell;
import dev.sluice.lab.result.RunResult.LeftOut;
import dev.sluice.lab.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ResultTableTests {

	@Test
	void tellsHowManyCellsWereLeftOutForWhatReason() {
		assertThat(ResultTable.of(Runs.partial()).lines()).endsWith("1 of 24 cells are in doubt; the report says why.",
				"4 cells left out: takes longer than --quick allows.", "4 cells left out: interrupted.");
	}

	@Test
	void oneCellIsOne() {
		LeftOut leftOut = new LeftOut(new Cell("reactive", "sync", "starved", 10, 1), "the run ended before");

		assertThat(ResultTable.of(Runs.run("compare", null, List.of(), List.of(leftOut))))
			.isEqualTo("1 cell left out: the run ended before.%n".formatted());
	}

}
