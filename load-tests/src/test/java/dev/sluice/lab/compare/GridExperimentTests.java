package dev.sluice.lab.compare;

import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridExperimentTests {

	private final ComparePlan plan = GridExperiment.plan(Length.QUICK);

	@Test
	void eachCellHasItsBackend() {
		assertThat(this.plan.cells()).allSatisfy((cell) -> assertThat(this.plan.backend(cell).behaviour().delay())
			.isEqualTo(new Delay.Fixed(Long.parseLong(cell.capacity().replace(" ms", "")))));
	}

	@Test
	void aSmallPoolIsSetAndTheUsualOneIsNot() {
		assertThat(this.plan.blocks().getFirst().gateways())
			.extracting((gateway) -> gateway.options().properties().get("server.tomcat.threads.max"))
			.startsWith("14", null);
	}

}
