package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.result.CausesResult.FactorLevels;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CollapseTests {

	private static final String SLOW = "backend 3 threads";

	private static final String SMALL = "128 MiB";

	private static final String UNDECIDED = "neither reproduce nor refute";

	private final List<Cell> cells = new ArrayList<>();

	@Test
	void refutesThatTheCollectorIsTheCauseWhereAllThatCollapsedDidSoWithoutIt() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 0.6, 0.05);

		assertThat(verdict().answer()).contains("is refuted", SLOW + ", stopped for 0.1 % of the time",
				"128 MiB at N = 1,000 kept 83 %", "stopped for 5 % of the time");
	}

	@Test
	void reproducesItWhereTheCollectorAloneStopsTheGatewayForHalfOfTheLoss() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 2, 0.6);

		assertThat(verdict().answer()).contains("is reproduced", "128 MiB");
	}

	@Test
	void refutesNothingWhereASmallMemoryCouldNotBeMeasured() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);

		assertThat(verdict().answer()).contains(UNDECIDED);
		assertThat(verdict().sentences())
			.anyMatch((sentence) -> sentence.contains("their effect is unknown: 128 MiB."));
	}

	@Test
	void refutesItWhereOnlyMoreThanACollapseWithoutTheCollectorHasLongPauses() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 0.6, 0.05);
		measured("all", 20, 0.4);

		assertThat(verdict().answer()).contains("is refuted", "all, stopped for 40 % of the time");
	}

	@Test
	void decidesNothingWhereACollapseWithLongPausesHasNoSuchPart() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 0.6, 0.001);
		measured(SMALL, 0.6, 0.05);
		measured("all", 20, 0.4);

		assertThat(verdict().answer()).contains(UNDECIDED, "all, stopped for 40 % of the time");
	}

	@Test
	void decidesNothingWhereSmallMemoryCollapsesWithoutPauses() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 2, 0.05);

		assertThat(verdict().answer()).contains(UNDECIDED);
	}

	@Test
	void decidesNothingWhereNothingCollapsedOrPausesAreUnknown() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SMALL, 0.6, 0.05);
		assertThat(verdict().answer()).contains(UNDECIDED, "no setting lost half");

		measured(SLOW, 16, null);
		assertThat(verdict().answer()).contains(UNDECIDED);
	}

	@Test
	void namesNoFactorThatCannotBeToldFromNoise() {
		measured(CausesResult.BASE, 0.50, 0.01);
		measured(CausesResult.BASE, 2, 0.80, 0.01);
		measured(SMALL, 0.9, 0.05);

		assertThat(verdict().sentences()).anyMatch((sentence) -> sentence.startsWith("No factor alone costs"))
			.noneMatch((sentence) -> sentence.contains("cost most"));

		measured(SLOW, 16, 0.001);
		assertThat(verdict().sentences())
			.anyMatch((sentence) -> sentence.contains("cost most: backend 3 threads, 96 %"));
	}

	private void measured(String setting, double seconds, Double pauseShare) {
		measured(setting, 1, seconds, pauseShare);
	}

	private void measured(String setting, int repetition, double seconds, Double pauseShare) {
		int orders = 1_000;
		Double pauseMillis = (pauseShare != null) ? pauseShare * seconds * 1_000 : null;
		this.cells.add(new Cell(setting, orders, repetition, 1, seconds, orders, orders, Map.of(),
				new Latency(seconds * 500, 1.0, 1.0, seconds * 1_000, seconds * 1_000), orders, 1_000, 0,
				new ServiceCost(1.0, 1, pauseMillis, pauseMillis, 1_000, 1L), 0.0, null));
	}

	private static List<FactorLevels> settings() {
		return List.of(new FactorLevels(CausesResult.BASE, Map.of(), true),
				new FactorLevels(SLOW, Map.of("backend's threads", "3"), false),
				new FactorLevels(SMALL, Map.of("gateway's heap", "128 MiB"), true),
				new FactorLevels("all", Map.of("backend's threads", "3", "gateway's heap", "128 MiB"), false));
	}

	private Collapse verdict() {
		return new Collapse(new CausesResult("servlet-platform", 100, 1_000, settings(), this.cells));
	}

}
