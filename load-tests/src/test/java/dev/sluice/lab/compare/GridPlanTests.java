package dev.sluice.lab.compare;

import dev.sluice.lab.kit.run.LengthOptions.Length;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GridPlanTests {

	@Test
	void wholeHasEachDelayAndEachNumberInFlight() {
		GridPlan plan = GridPlan.of(Length.WHOLE);

		assertThat(plan.delays()).containsExactly(0L, 100L, 250L, 500L);
		assertThat(plan.concurrencies()).containsExactly(10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 200, 500, 1_000);
		assertThat(plan.cells()).isEqualTo(5 * 4 * 13);
	}

	@Test
	void aSmallPoolIsSetAndTheUsualOneIsNot() {
		assertThat(GridPlan.of(Length.QUICK).subjects()).first()
			.satisfies((small) -> assertThat(small.options().properties()).containsEntry("server.tomcat.threads.max",
					"14"));
		assertThat(GridPlan.of(Length.QUICK).subjects()).element(1)
			.satisfies(
					(usual) -> assertThat(usual.options().properties()).doesNotContainKey("server.tomcat.threads.max"));
	}

	@Test
	void noGatewayLooksUpKeysBecauseNothingIsThereThatKnowsThem() {
		assertThat(GridPlan.of(Length.WHOLE).subjects())
			.allSatisfy((subject) -> assertThat(subject.options().properties())
				.containsEntry("status.key-lookup-timeout", "0"));
	}

}
