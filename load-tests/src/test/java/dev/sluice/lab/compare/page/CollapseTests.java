package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CollapseTests {

	private static final String BASE = "base";

	private static final String SLOW = "backend 3 threads";

	private static final String SMALL = "192 MiB";

	private static final String UNDECIDED = "neither reproduce nor refute";

	/** The other setting of memory costs nothing. */
	private final List<CellResult> cells = new ArrayList<>(List.of(Runs.cause("Serial", 1_000, 2_000, 0.01)));

	@Test
	void refutesThatTheCollectorIsTheCauseWhereAllThatCollapsedDidSoWithoutIt() {
		measured(BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 0.6, 0.05);

		assertThat(verdict().answer()).contains("is refuted", SLOW + ", stopped for 0.1 % of the time",
				"192 MiB at N = 1,000 kept 83 %", "stopped for 5 % of the time");
	}

	@Test
	void reproducesItWhereTheCollectorAloneStopsTheGatewayForHalfOfTheLoss() {
		measured(BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 2, 0.6);

		assertThat(verdict().answer()).contains("is reproduced", "192 MiB");
	}

	@Test
	void refutesNothingWhereASmallMemoryCouldNotBeMeasured() {
		measured(BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);

		assertThat(verdict().answer()).contains(UNDECIDED).endsWith("Not measured: 192 MiB.");
	}

	@Test
	void refutesItWhereOnlyMoreThanACollapseWithoutTheCollectorHasLongPauses() {
		measured(BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 0.6, 0.05);
		measured("all together", 20, 0.4);

		assertThat(verdict().answer()).contains("is refuted", "all together, stopped for 40 % of the time");
	}

	@Test
	void decidesNothingWhereACollapseWithLongPausesHasNoSuchPart() {
		measured(BASE, 0.5, 0.01);
		measured(SLOW, 0.6, 0.001);
		measured(SMALL, 0.6, 0.05);
		measured("all together", 20, 0.4);

		assertThat(verdict().answer()).contains(UNDECIDED, "all together, stopped for 40 % of the time");
	}

	@Test
	void decidesNothingWhereSmallMemoryCollapsesWithoutPauses() {
		measured(BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 2, 0.05);

		assertThat(verdict().answer()).contains(UNDECIDED);
	}

	@Test
	void decidesNothingWhereNothingCollapsedOrPausesAreUnknown() {
		measured(BASE, 0.5, 0.01);
		measured(SMALL, 0.6, 0.05);
		assertThat(verdict().answer()).contains(UNDECIDED, "no setting lost half");

		measured(SLOW, 16, null);
		assertThat(verdict().answer()).contains(UNDECIDED);
	}

	@Test
	void sumsThePausesOfAllTrials() {
		measured(BASE, 1, 1, 0.0);
		measured(BASE, 2, 1, 0.0);
		measured(BASE, 3, 2, 0.15);

		assertThat(effect(BASE).pauseShare()).isEqualTo(0.075, within(1e-9));
	}

	@Test
	void hasNoShareOfPausesWhereOneIsNotKnown() {
		measured(BASE, 1, 1, 0.0);
		measured(BASE, 2, 1, null);

		assertThat(effect(BASE).pauseShare()).isNull();
	}

	@Test
	void marksASettingWhereAnOrderWasNotAnswered() {
		measured(SLOW, 16, 0.001);
		assertThat(effect(SLOW).marked()).isFalse();

		CellResult whole = this.cells.removeLast();
		this.cells.add(new CellResult(whole.cell(), whole.start(), whole.end(), whole.calls(), whole.failedCalls(),
				whole.failures(), whole.accepted() - 1, whole.saved(), whole.savedPerSecond(),
				whole.acceptedPerSecond(), whole.latency(), null, null, whole.services(), whole.connectionsOpened(),
				whole.backendMaxInFlight(), whole.foreignCpuShare(), 0, null, null));
		assertThat(effect(SLOW).marked()).isTrue();
	}

	private Collapse.Effect effect(String setting) {
		return verdict().atMany().stream().filter((effect) -> effect.name().equals(setting)).findFirst().orElseThrow();
	}

	private void measured(String setting, double seconds, Double pauseShare) {
		measured(setting, 1, seconds, pauseShare);
	}

	private void measured(String setting, int repetition, double seconds, Double pauseShare) {
		this.cells.add(Runs.cause(setting, 1_000, repetition, 1_000 / seconds, pauseShare));
	}

	private Collapse verdict() {
		return new Collapse(Runs.run("compare --causes", null, this.cells));
	}

}
