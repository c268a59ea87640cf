package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.compare.figures.Curve;
import dev.sluice.lab.compare.figures.Curve.Shape;
import dev.sluice.lab.compare.page.Reference.Verdict;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReferenceTests {

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void theReferenceHasTheShapesByTheSameRule() {
		assertThat(Reference.rows()).hasSize(16);
		assertThat(Reference.curve("sync").shape()).isEqualTo(Shape.COLLAPSED);
		assertThat(Reference.curve("queued").shape()).isEqualTo(Shape.HELD);
	}

	@Test
	void theVerdictFollowsFromTheShapesOfBothModes() {
		assertThat(verdict()).isEqualTo(Verdict.UNKNOWN);

		rates("servlet-platform", "sync", 10_000, 2_000);
		assertThat(verdict()).isEqualTo(Verdict.UNKNOWN);

		rates("servlet-platform", "queued", 10_000, 11_000);
		assertThat(verdict()).isEqualTo(Verdict.REPRODUCED);

		rates("reactive", "sync", 10_000, 12_000);
		assertThat(verdict()).isEqualTo(Verdict.IN_PART);
	}

	@Test
	void neitherShapeIsNoneOfIt() {
		rates("reactive", "sync", 10_000, 12_000);
		rates("reactive", "queued", 10_000, 7_000);

		assertThat(verdict()).isEqualTo(Verdict.NOT_REPRODUCED);
	}

	@Test
	void aSingleLoadHasNoShape() {
		rates("reactive", "sync", 10_000, 2_000);
		rates("reactive", "queued", 10_000);

		assertThat(verdict()).isEqualTo(Verdict.UNKNOWN);
	}

	private Verdict verdict() {
		return Reference.verdict(Curve.of(Runs.run("compare", null, this.cells, List.of())));
	}

	private void rates(String variant, String mode, double... perSecond) {
		int orders = 1;
		for (double rate : perSecond) {
			orders *= 10;
			this.cells.add(Runs.rate(new Cell(variant, mode, "starved", new Load(Load.Kind.BURST, orders), 1), rate));
		}
	}

}
