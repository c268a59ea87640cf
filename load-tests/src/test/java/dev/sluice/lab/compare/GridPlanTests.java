package dev.sluice.lab.compare;

import java.util.List;

import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridPlanTests {

	@Test
	void wholeHasEachDelayAndEachNumberInFlight() {
		List<Cell> cells = GridPlan.of(Length.WHOLE).plan().cells();

		assertThat(cells).hasSize(5 * 4 * 13).doesNotHaveDuplicates();
		assertThat(cells).extracting(Cell::capacity).containsOnly("0 ms", "100 ms", "250 ms", "500 ms");
		assertThat(cells).extracting((cell) -> cell.load().size())
			.containsOnly(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 500, 1_000);
	}

	@Test
	void eachCellHasItsBackend() {
		CompareExperiment.Settings settings = GridPlan.of(Length.QUICK).settings();

		assertThat(GridPlan.of(Length.QUICK).plan().cells())
			.allSatisfy((cell) -> assertThat(settings.backend(cell).behaviour().delay())
				.isEqualTo(new Delay.Fixed(Long.parseLong(cell.capacity().replace(" ms", "")))));
	}

	@Test
	void aSmallPoolIsSetAndTheUsualOneIsNot() {
		assertThat(GridPlan.of(Length.QUICK).gateways()).first()
			.satisfies((small) -> assertThat(small.options().properties()).containsEntry("server.tomcat.threads.max",
					"14"));
		assertThat(GridPlan.of(Length.QUICK).gateways()).element(1)
			.satisfies(
					(usual) -> assertThat(usual.options().properties()).doesNotContainKey("server.tomcat.threads.max"));
	}

}
