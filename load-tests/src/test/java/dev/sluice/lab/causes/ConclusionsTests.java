package dev.sluice.lab.causes;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.causes.Effects.Portion;
import dev.sluice.lab.causes.Conclusions.Outcome;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.result.CausesResult.FactorLevels;
import dev.sluice.lab.kit.result.CausesResult.Share;
import dev.sluice.lab.kit.cell.CellResult.Latency;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConclusionsTests {

	private static final String SLOW = "backend 3 threads";

	private static final String SMALL = "128 MiB";

	private static final String MIDDLE = "256 MiB";

	private final List<Cell> cells = new ArrayList<>();

	private boolean smallRanOutOfMemory;

	@Test
	void refutesThatTheCollectorIsTheCauseWhereAllThatCollapsedDidSoWithoutIt() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 0.6, 0.05);

		Conclusions verdict = verdict();

		assertThat(verdict.outcome()).isEqualTo(Outcome.REFUTED);
		assertThat(verdict.answer()).contains("refuted", "the one setting", "at most 0.1 % of the time",
				"128 MiB at N = 1,000 kept 83 %", "stopped for 5 % of the time");
	}

	@Test
	void reproducesItWhereTheCollectorAloneStopsTheGatewayForHalfOfTheLoss() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 2, 0.6);

		assertThat(verdict().outcome()).isEqualTo(Outcome.REPRODUCED);
		assertThat(verdict().answer()).contains("reproduced", "128 MiB");
	}

	@Test
	void refutesNothingWhereASmallMemoryCouldNotBeMeasured() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);

		assertThat(verdict().outcome()).isEqualTo(Outcome.UNDECIDED);
		assertThat(verdict().sentences())
			.anyMatch((sentence) -> sentence.contains("their effect is unknown: 128 MiB."));
	}

	@Test
	void refutesItWhereOnlyMoreThanACollapseWithoutTheCollectorHasLongPauses() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 0.6, 0.05);
		measured("all", 20, 0.4);

		assertThat(verdict().outcome()).isEqualTo(Outcome.REFUTED);
		assertThat(verdict().answer()).contains("in 1 of the 2 settings that lost half",
				"at most 0.1 % of the time, and each of the others is one of these with more added");
	}

	@Test
	void decidesNothingWhereACollapseWithLongPausesHasNoSuchPart() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 0.6, 0.001);
		measured(SMALL, 0.6, 0.05);
		measured("all", 20, 0.4);

		assertThat(verdict().outcome()).isEqualTo(Outcome.UNDECIDED);
		assertThat(verdict().answer()).contains("in the one setting", "at most 40 % of the time");
	}

	@Test
	void refutesItForMemoryThatTheGatewayLivesWith() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(MIDDLE, 0.6, 0.05);
		this.smallRanOutOfMemory = true;

		assertThat(verdict().outcome()).isEqualTo(Outcome.REFUTED);
		assertThat(verdict().answer()).contains("is refuted, for all memory settings that the gateway survives");
		assertThat(verdict().sentences())
			.contains("The gateway ran out of memory and ended with 128 MiB: that is not a collapse.");
	}

	@Test
	void whatTheGatewayDiedOfIsToldWithItsFiguresAndDecidesNothing() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(MIDDLE, 0.6, 0.05);
		measured(SMALL, 2, 0.6);
		this.smallRanOutOfMemory = true;

		assertThat(verdict().outcome()).isEqualTo(Outcome.REFUTED);
		assertThat(verdict().answer()).contains("the one setting", "Hardest on the collector, 256 MiB");
		assertThat(verdict().sentences()).anyMatch((sentence) -> sentence.contains(
				"128 MiB (before, at N = 1,000, it had kept 25 % of the base's rate, stopped for 60 % of the time): that is not"));
	}

	@Test
	void refutesNothingWhereNoOtherMemoryThanOneItDiedOfWasMeasured() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		this.smallRanOutOfMemory = true;

		assertThat(verdict().outcome()).isEqualTo(Outcome.UNDECIDED);
	}

	@Test
	void decidesNothingWhereSmallMemoryCollapsesWithoutPauses() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SLOW, 16, 0.001);
		measured(SMALL, 2, 0.05);

		assertThat(verdict().outcome()).isEqualTo(Outcome.UNDECIDED);
	}

	@Test
	void decidesNothingWhereNothingCollapsedOrPausesAreUnknown() {
		measured(CausesResult.BASE, 0.5, 0.01);
		measured(SMALL, 0.6, 0.05);
		assertThat(verdict().outcome()).isEqualTo(Outcome.UNDECIDED);
		assertThat(verdict().answer()).contains("no setting lost half");

		measured(SLOW, 16, null);
		assertThat(verdict().outcome()).isEqualTo(Outcome.UNDECIDED);
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

	@Test
	void saysWhetherTheRateFellWithTheLoad() {
		measured(CausesResult.BASE, 0.5, 0.01);
		cell(CausesResult.BASE, 100, 1, 0.1, 0.0);
		assertThat(verdict().sentences())
			.anyMatch((sentence) -> sentence.startsWith("With no setting did the rate fall"));

		measured(SLOW, 60, 0.001);
		cell(SLOW, 100, 1, 1.7, 0.0);
		assertThat(verdict().sentences())
			.anyMatch((sentence) -> sentence.startsWith("The rate fell by more than half") && sentence.contains(SLOW));
	}

	@Test
	void sharesAddUpWhereLossesMultiply() {
		measured(CausesResult.BASE, 1, 0.0);
		measured(SLOW, 8, 0.0);
		measured(SMALL, 2, 0.0);
		measured("all", 16, 0.0);

		List<Portion> portions = effects().portions();

		assertThat(portions).extracting(Portion::factor).containsExactly("threads", "memory");
		assertThat(portions.get(0).alone()).isCloseTo(0.75, Offset.offset(1e-9));
		assertThat(portions.get(0).last()).isCloseTo(0.75, Offset.offset(1e-9));
		assertThat(portions.get(1).alone()).isCloseTo(0.25, Offset.offset(1e-9));
		assertThat(portions.get(1).last()).isCloseTo(0.25, Offset.offset(1e-9));
	}

	@Test
	void givesAnIntervalOnceThereAreEnoughPairs() {
		for (int repetition = 1; repetition <= 8; repetition++) {
			measured(CausesResult.BASE, repetition, 0.5 + repetition * 0.01, 0.0);
			measured(SMALL, repetition, 0.6 + repetition * 0.012, 0.0);
		}

		Conclusions verdict = verdict();

		assertThat(effects().differs(effects().at(SMALL, 1_000).orElseThrow())).isTrue();
		assertThat(verdict.range(effects().at(SMALL, 1_000).orElseThrow())).isEqualTo("83 % to 83 %");
		assertThat(verdict.sentences())
			.anyMatch((sentence) -> sentence.contains("128 MiB, 17 % of the rate (17 % to 17 %)"));
	}

	private void measured(String setting, double seconds, Double pauseShare) {
		measured(setting, 1, seconds, pauseShare);
	}

	private void measured(String setting, int repetition, double seconds, Double pauseShare) {
		cell(setting, 1_000, repetition, seconds, pauseShare);
	}

	private void cell(String setting, int orders, int repetition, double seconds, Double pauseShare) {
		Double pauseMillis = (pauseShare != null) ? pauseShare * seconds * 1_000 : null;
		this.cells.add(new Cell(setting, orders, repetition, 1, seconds, orders, orders, Map.of(),
				new Latency(seconds * 500, 1.0, 1.0, seconds * 1_000, seconds * 1_000), orders, 1_000, 0,
				new ServiceCost(1.0, 1.0, 1.0, 1, pauseMillis, pauseMillis, 1_000, 1L, null, null), Map.of(), 0.0,
				null));
	}

	private Effects effects() {
		return new Effects(new CausesResult("servlet-platform", 100, 1_000, "all",
				List.of(new Share("threads", SLOW, SMALL), new Share("memory", SMALL, SLOW)), settings(), this.cells));
	}

	/** All settings but the middle heap are part of each plan. */
	private List<FactorLevels> settings() {
		List<FactorLevels> settings = new ArrayList<>(List.of(
				new FactorLevels(CausesResult.BASE, Map.of(), true, false),
				new FactorLevels(SLOW, Map.of("backend's threads", "3"), false, false),
				new FactorLevels(SMALL, Map.of("gateway's heap", "128 MiB"), true, this.smallRanOutOfMemory),
				new FactorLevels("all", Map.of("backend's threads", "3", "gateway's heap", "128 MiB"), false, false)));
		if (this.cells.stream().anyMatch((cell) -> cell.setting().equals(MIDDLE))) {
			settings.add(new FactorLevels(MIDDLE, Map.of("gateway's heap", "256 MiB"), true, false));
		}
		return settings;
	}

	private Conclusions verdict() {
		return new Conclusions(effects());
	}

}
