package dev.sluice.lab.compare;

import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridPlanTests {

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
