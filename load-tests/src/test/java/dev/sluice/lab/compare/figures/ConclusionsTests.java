package dev.sluice.lab.compare.figures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.compare.figures.Curve.Shape;
import dev.sluice.lab.compare.page.Reference;
import dev.sluice.lab.compare.page.ReferenceSection;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult.Second;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.load.LoadRound;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ConclusionsTests {

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void tellsACollapseFromPeakToEnd() {
		rates("reactive", "sync", "starved", 5000, 10_000, 2500);

		assertThat(sentences()).contains(
				"Backend starved, sync: throughput collapsed in the one variant measured. Most in reactive, from 10,000/s at 100 in flight to 2,500/s at 1,000 in flight (−75 %).");
	}

	@Test
	void doesNotClaimACollapseThatWasNotMeasured() {
		rates("reactive", "sync", "starved", 5000, 10_000, 9500);

		assertThat(sentences()).anyMatch((s) -> s.startsWith("Backend starved, sync: throughput held; largest drop"))
			.noneMatch((s) -> s.contains("collapse"));
	}

	@Test
	void tellsASagFromACollapse() {
		rates("reactive", "sync", "starved", 5000, 10_000, 5000);

		assertThat(sentences()).anyMatch((s) -> s.contains("sagged but did not collapse in the one variant measured"));
	}

	@Test
	void countsTheVariantsThatCollapsedAndNamesTheDeepest() {
		rates("reactive", "sync", "starved", 10_000, 4000);
		rates("servlet-platform", "sync", "starved", 10_000, 1000);
		rates("servlet-async", "sync", "starved", 9_000, 10_000);

		assertThat(sentences()).anyMatch((s) -> s.contains("collapsed in 2 of 3 variants. Most in servlet-platform"));
	}

	@Test
	void namesTheDeepestCollapseWhicheverVariantItIs() {
		rates("servlet-platform", "sync", "starved", 10_000, 4000);
		rates("reactive", "sync", "starved", 10_000, 1000);

		assertThat(sentences()).anyMatch((s) -> s.contains("collapsed in all 2 variants. Most in reactive, from"));
	}

	@Test
	void judgesTheQueuedWayByItsLargestDropAlsoIfItRecovers() {
		rates("reactive", "queued", "starved", 10_000, 9300, 12_000);

		assertThat(sentences())
			.anyMatch((s) -> s.contains("from 10,000/s at 10 in flight to 9,300/s at 100 in flight (−7 %)")
					&& s.endsWith("The goal, a drop of at most 5 %, was missed."));
	}

	@Test
	void saysThatTheGoalWasMet() {
		rates("reactive", "queued", "starved", 10_000, 9700, 12_000);

		assertThat(sentences()).anyMatch((s) -> s.endsWith("The goal, a drop of at most 5 %, was met."));
	}

	@Test
	void saysNothingOfShapesWithOneLoad() {
		rates("reactive", "sync", "starved", 5000);

		assertThat(sentences()).noneMatch((s) -> s.contains("throughput"));
	}

	@Test
	void marksAFigureThatIsNotToBeBelieved() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(Runs.bare(new Cell("reactive", "sync", "starved", Load.inFlight(3000), 1), "gave up"));

		assertThat(sentences()).anyMatch((s) -> s.contains("to 6.87/s at 3,000 in flight †"));
	}

	@Test
	void namesTheBackendWhereTheSameGatewayHoldsBeforeAnUnlimitedOne() {
		rates("reactive", "sync", "unlimited", 10_000, 20_000);
		rates("reactive", "sync", "starved", 10_000, 2000);

		assertThat(sentences())
			.anyMatch((s) -> s.startsWith("In the deepest collapse") && s.contains("the backend's threads"));
	}

	@Test
	void namesTheCollectorWherePausesTakeATenth() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(collapsed(new ServiceCost(1.0, null, null, 40, 7000.0, 900.0, 40, null, null, null), 1.0));

		assertThat(sentences()).anyMatch((s) -> s.contains("12 % of the time: the collector is a cause"));
	}

	@Test
	void namesTheCpuWhereTheGatewayUsesAllOfIt() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(collapsed(new ServiceCost(1.0, null, null, 4, 70.0, 9.0, 40, null, null, null), 1.9));

		assertThat(sentences()).anyMatch((s) -> s.contains("used 1.9 of 2 cores: it ran out of CPU"));
	}

	@Test
	void aTenthOfTheTimeIsEnoughToNameTheCollector() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(collapsed(new ServiceCost(1.0, null, null, 40, 6000.0, 900.0, 40, null, null, null), 1.9));

		assertThat(sentences()).anyMatch((s) -> s.contains("10 % of the time: the collector is a cause"));
	}

	@Test
	void fourFifthsOfTheCoresAreEnoughToNameTheCpu() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(collapsed(new ServiceCost(1.0, null, null, 4, 5990.0, 9.0, 40, null, null, null), 1.6));

		assertThat(sentences()).anyMatch((s) -> s.contains("used 1.6 of 2 cores: it ran out of CPU"));
	}

	@Test
	void aGatewayThatSagsBeforeAnUnlimitedBackendDidNotCollapseThere() {
		rates("reactive", "sync", "unlimited", 10_000, 7000);
		rates("reactive", "sync", "starved", 10_000, 2000);

		assertThat(sentences()).anyMatch(
				(s) -> s.contains("the cause is the backend's threads (at most 0 orders in process there at once)"));
	}

	@Test
	void saysHowManyOrdersTheBackendHadAtMost() {
		rates("reactive", "sync", "unlimited", 10_000, 20_000);
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(atBackend(1, 3));
		this.cells.add(atBackend(2, 17));
		this.cells.add(atBackend(3, 5));

		assertThat(sentences()).anyMatch((s) -> s.contains("(at most 17 orders in process there at once)"));
	}

	@Test
	void aWindowWithoutALengthHasNoShareOfPauses() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(new CellResult(new Cell("reactive", "sync", "starved", Load.inFlight(1000), 1), START, START,
				1000, 0, Map.of(), 1000, 1000, 1000, 1000, null, null, null,
				Map.of("gateway", new ServiceCost(1.0, null, null, 40, 30.0, 9.0, 40, null, null, null)), 0, 0, 0.0, 0,
				null, List.of()));

		assertThat(sentences()).anyMatch((s) -> s.contains("GC pauses were not measured"));
	}

	@Test
	void namesNoCauseThatTheFiguresDoNotShow() {
		rates("reactive", "sync", "starved", 10_000);
		this.cells.add(collapsed(new ServiceCost(1.0, null, null, 4, 70.0, 9.0, 40, null, null, null), 0.4));

		assertThat(sentences()).anyMatch((s) -> s.endsWith("the figures do not show the cause."));
	}

	@Test
	void saysWhatWasAcceptedButNotSaved() {
		this.cells.add(new CellResult(new Cell("reactive", "queued", "starved", Load.inFlight(100), 1), START,
				START.plusSeconds(60), 100, 0, Map.of(), 100, 97, 97, 97, null, null, null, Map.of(), 0, 0, 0.0, 0,
				"gave up", List.of()));

		assertThat(sentences()).anyMatch((s) -> s.startsWith("3 of 100 orders that were accepted had not been saved"));
	}

	@Test
	void saysNothingOfARunWithoutCells() {
		assertThat(sentences()).isEmpty();
	}

	@Test
	void tellsBackendsApartAndSyncBeforeQueued() {
		rates("reactive", "queued", "unlimited", 1000, 2000);
		rates("reactive", "sync", "unlimited", 1000, 2000);
		rates("reactive", "queued", "starved", 1000, 2000);
		rates("reactive", "sync", "starved", 1000, 2000);

		assertThat(sentences()).filteredOn((s) -> s.startsWith("Backend"))
			.extracting((s) -> s.substring(0, s.indexOf(':')))
			.containsExactly("Backend starved, sync", "Backend starved, queued", "Backend unlimited, sync",
					"Backend unlimited, queued");
	}

	@Test
	void saysThatTheThroughputNeverDropped() {
		rates("reactive", "sync", "starved", 1000, 2000, 2000);

		assertThat(sentences()).contains("Backend starved, sync: throughput held; it never dropped as the load rose.");
	}

	@Test
	void countsTheVariantsThatSaggedAndNamesTheLargestDrop() {
		rates("servlet-platform", "queued", "starved", 10_000, 8000);
		rates("servlet-virtual", "queued", "starved", 10_000, 7000);
		rates("reactive", "queued", "starved", 10_000, 9900);

		assertThat(sentences()).contains(
				"Backend starved, queued: throughput sagged but did not collapse in 2 of 3 variants; largest drop servlet-virtual, from 10,000/s at 10 in flight to 7,000/s at 100 in flight (−30 %). The goal, a drop of at most 5 %, was missed.");
	}

	@Test
	void saysThatAllVariantsCollapsed() {
		rates("servlet-platform", "sync", "starved", 10_000, 1000);
		rates("reactive", "sync", "starved", 10_000, 2000);

		assertThat(sentences())
			.anyMatch((s) -> s.contains("throughput collapsed in all 2 variants. Most in servlet-p"));
	}

	@Test
	void onlyTheQueuedModeHasAGoal() {
		rates("reactive", "sync", "starved", 10_000, 9900);

		assertThat(sentences()).noneMatch((s) -> s.contains("goal"));
	}

	@Test
	void aVariantOfOneLoadIsNotCounted() {
		rates("servlet-platform", "sync", "starved", 10_000);
		rates("reactive", "sync", "starved", 10_000, 2000);

		assertThat(sentences()).anyMatch((s) -> s.contains("collapsed in the one variant measured"));
	}

	@Test
	void namesNoCauseOfTheQueuedMode() {
		rates("reactive", "queued", "starved", 10_000, 2000);

		assertThat(sentences()).noneMatch((s) -> s.contains("deepest collapse"));
	}

	@Test
	void namesTheCauseOfTheDeepestCollapse() {
		rates("servlet-platform", "sync", "starved", 10_000, 4000);
		rates("reactive", "sync", "starved", 10_000, 1000);

		assertThat(sentences()).anyMatch((s) -> s
			.equals("In the deepest collapse (reactive, sync, backend starved, 100 in flight) GC pauses were"
					+ " not measured; the figures do not show the cause."));
	}

	@Test
	void doesNotNameTheBackendWhereOnlyAnotherGatewayHolds() {
		rates("servlet-platform", "sync", "unlimited", 10_000, 20_000);
		rates("reactive", "sync", "starved", 10_000, 2000);

		assertThat(sentences()).anyMatch((s) -> s.endsWith("the figures do not show the cause."));
	}

	@Test
	void doesNotNameTheBackendWhereTheSameGatewayCollapsesBeforeAnUnlimitedOne() {
		rates("reactive", "sync", "unlimited", 10_000, 3000);
		rates("reactive", "sync", "starved", 10_000, 2000);

		assertThat(sentences()).anyMatch((s) -> s.endsWith("the figures do not show the cause."));
	}

	@Test
	void namesTheLeastAndTheMostCpuOfAnOrder() {
		this.cells.add(cpu("reactive", Map.of("gateway", cpu(0.5), "kafka", cpu(0.25)), null));
		this.cells.add(cpu("servlet-virtual", Map.of("gateway", cpu(1), "kafka", cpu(0.25)), null));
		this.cells.add(cpu("servlet-platform", Map.of("gateway", cpu(2), "kafka", cpu(0.25)), "gave up"));

		assertThat(sentences()).contains(
				"CPU per order saved, all services together: least 0.75 ms (reactive, sync, backend starved, 400 in flight), most 2.25 ms (servlet-platform, sync, backend starved, 400 in flight) †.");
	}

	@Test
	void comparesTheCpuBeforeAllBackends() {
		this.cells.add(cpu("reactive", Map.of("gateway", cpu(0.5)), null));
		this.cells.add(new CellResult(new Cell("reactive", "sync", "unlimited", Load.inFlight(100), 1), START,
				START.plusSeconds(1), 100, 0, Map.of(), 100, 100, 100, 100, null, null, null,
				Map.of("gateway", cpu(0.25)), 0, 0, 0.0, 0, null, List.of()));

		assertThat(sentences()).contains(
				"CPU per order saved, all services together: least 0.25 ms (reactive, sync, backend unlimited, 100 in flight), most 0.5 ms (reactive, sync, backend starved, 400 in flight).");
	}

	@Test
	void comparesNoCpuOfOneSeries() {
		this.cells.add(cpu("reactive", Map.of("gateway", cpu(0.5)), null));

		assertThat(sentences()).noneMatch((s) -> s.startsWith("CPU"));
	}

	@Test
	void comparesNoCpuThatIsNotKnownWhole() {
		this.cells.add(cpu("reactive", Map.of("gateway", cpu(0.5), "kafka", cpu(0.25)), null));
		this.cells.add(cpu("servlet-virtual", Map.of("gateway", cpu(1)), null));

		assertThat(sentences()).noneMatch((s) -> s.startsWith("CPU"));
	}

	@Test
	void comparesNoCpuWithoutTheGateways() {
		this.cells.add(cpu("reactive", Map.of("kafka", cpu(0.25)), null));
		this.cells.add(cpu("servlet-virtual", Map.of("kafka", cpu(1)), null));

		assertThat(sentences()).noneMatch((s) -> s.startsWith("CPU"));
	}

	@Test
	void countsFailedCallsByMode() {
		this.cells.add(calls("queued", 1, 1000, 0));
		this.cells.add(calls("sync", 1, 1500, 500));
		this.cells.add(calls("sync", 2, 500, 0));

		assertThat(sentences()).contains(
				"Failed calls, which the client retried: 500 of 2,000 sync calls (25 %), none of 1,000 queued calls.");
	}

	@Test
	void saysNothingOfTheCallsOfAModeThatWasNotMeasured() {
		this.cells.add(calls("queued", 1, 1000, 0));

		assertThat(sentences()).contains("Failed calls, which the client retried: none of 1,000 queued calls.");
	}

	@Test
	void saysThatAllOrdersWereSaved() {
		rates("reactive", "sync", "starved", 1000, 1000, 1000);

		assertThat(sentences()).contains("Every one of the 1,110 orders that were accepted was saved.");
	}

	/** The order of a failed call may be saved nevertheless. */
	@Test
	void moreSavedThanAcceptedInOneCellMakesUpForNoneOfAnother() {
		this.cells.add(saved(1, 100, 97));
		this.cells.add(saved(2, 100, 110));

		assertThat(sentences()).anyMatch((s) -> s.startsWith("3 of 200 orders that were accepted had not been saved"));
	}

	@Test
	void findsTheReferencesOwnShapesByTheSameRule() {
		assertThat(Reference.rows()).hasSize(16);
		assertThat(Reference.curve("sync").shape()).isEqualTo(Shape.COLLAPSED);
		assertThat(Reference.curve("queued").shape()).isEqualTo(Shape.HELD);
	}

	@Test
	void saysThatTheReferencesShapeWasFoundAgain() {
		rates("reactive", "sync", "starved", 10_000, 2000);
		rates("reactive", "queued", "starved", 10_000, 11_000);

		assertThat(ReferenceSection.verdict(Curve.of(run()))).isEqualTo(
				"Reproduced: sync collapsed in 1 of 1 series up to N = 100, queued held in 1 of 1 up to N = 100.");
	}

	@Test
	void saysThatTheReferencesShapeWasNotFoundAgain() {
		rates("reactive", "sync", "starved", 10_000, 12_000);
		rates("reactive", "queued", "starved", 10_000, 7000);

		assertThat(ReferenceSection.verdict(Curve.of(run()))).startsWith("Not reproduced: ");
	}

	@Test
	void saysThatHalfOfTheShapeWasFoundAgain() {
		rates("reactive", "sync", "starved", 10_000, 12_000);
		rates("reactive", "queued", "starved", 10_000, 11_000);

		assertThat(ReferenceSection.verdict(Curve.of(run()))).startsWith("Reproduced in part");
	}

	@Test
	void takesTheMedianOfRepetitions() {
		for (int repetition = 1; repetition <= 3; repetition++) {
			this.cells.add(Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(10), repetition),
					1000 * repetition * repetition));
		}

		Curve.Point point = Curve.of(run()).getFirst().last();

		assertThat(point.perSecond()).isEqualTo(4000);
		assertThat(point.min()).isEqualTo(1000);
		assertThat(point.max()).isEqualTo(9000);
	}

	@Test
	void theCauseIsThatOfTheMedianRepetition() {
		rates("reactive", "sync", "starved", 10_000);
		// The collector paused only the first one.
		this.cells.add(collapsed(1, new ServiceCost(1.0, null, null, 40, 30_000.0, 900.0, 40, null, null, null), 0.4));
		this.cells.add(collapsed(2, new ServiceCost(1.0, null, null, 4, 60.0, 9.0, 40, null, null, null), 1.9));
		this.cells.add(collapsed(3, new ServiceCost(1.0, null, null, 4, 70.0, 9.0, 40, null, null, null), 1.8));

		assertThat(sentences()).anyMatch(
				(s) -> s.contains("for 0.1 % of the time and the gateway used 1.8 of 2 cores: it ran out of CPU"));
	}

	@Test
	void costsAreSumsOverTheOrdersSaved() {
		this.cells.add(cost(100, 1, 2.0));
		this.cells.add(cost(300, 2, 1.0));

		Cost cost = Cost.of(run(), Coordinates.series(run()).getFirst(), 400).orElseThrow();

		assertThat(cost.cpuMillis()).isEqualTo(1.25);
		assertThat(cost.peakThreads()).isEqualTo(42);
		assertThat(cost.allocatedBytesPerOrder()).isNull();
	}

	@Test
	void aCostIsThatOfTheSystemAndOfAllOfIt() {
		ServiceCost known = new ServiceCost(1.5, null, null, null, null, null, null, null, null, null);
		ServiceCost unknown = new ServiceCost(null, null, null, null, null, null, null, null, null, null);
		this.cells.add(cost(100, 1,
				Map.of("gateway", known, "kafka", known, LoadRound.LOAD_GENERATOR, known, LoadRound.LAB, unknown)));
		assertThat(Cost.of(run(), Coordinates.series(run()).getFirst(), 400).orElseThrow().cpuMillis()).isEqualTo(3.0);

		this.cells.set(0, cost(100, 1, Map.of("gateway", known, "kafka", unknown)));
		assertThat(Cost.of(run(), Coordinates.series(run()).getFirst(), 400).orElseThrow().cpuMillis()).isNull();
	}

	private static CellResult cost(long saved, int repetition, double cpuMillis) {
		return cost(saved, repetition, Map.of("gateway",
				new ServiceCost(cpuMillis, null, null, null, null, null, 40 + repetition, null, null, null)));
	}

	private static CellResult cost(long saved, int repetition, Map<String, ServiceCost> services) {
		return new CellResult(new Cell("reactive", "sync", "starved", Load.inFlight(400), repetition), START,
				START.plusSeconds(1), saved, 0, Map.of(), saved, saved, saved, saved, null, null, null, services, 0, 0,
				0.0, 0, null, List.of());
	}

	private static ServiceCost cpu(double millisPerOrder) {
		return new ServiceCost(millisPerOrder, null, null, null, null, null, null, null, null, null);
	}

	private static CellResult cpu(String variant, Map<String, ServiceCost> services, @Nullable String problem) {
		return new CellResult(new Cell(variant, "sync", "starved", Load.inFlight(400), 1), START, START.plusSeconds(1),
				100, 0, Map.of(), 100, 100, 100, 100, null, null, null, services, 0, 0, 0.0, 0, problem, List.of());
	}

	private static CellResult calls(String mode, int repetition, long calls, long failed) {
		return new CellResult(new Cell("reactive", mode, "starved", Load.inFlight(400), repetition), START,
				START.plusSeconds(1), calls, failed, Map.of(), 100, 100, 100, 100, null, null, null, Map.of(), 0, 0,
				0.0, 0, null, List.of());
	}

	private static CellResult atBackend(int repetition, int orders) {
		return new CellResult(new Cell("reactive", "sync", "starved", Load.inFlight(1000), repetition), START,
				START.plusSeconds(60), 1000, 0, Map.of(), 1000, 1000, 1000, 1000, null, null, null, Map.of(), 0, orders,
				0.0, 0, null, List.of());
	}

	private static CellResult saved(int repetition, long accepted, long saved) {
		return new CellResult(new Cell("reactive", "queued", "starved", Load.inFlight(100), repetition), START,
				START.plusSeconds(60), 200, 0, Map.of(), accepted, saved, 97, 97, null, null, null, Map.of(), 0, 0, 0.0,
				0, null, List.of());
	}

	private static CellResult collapsed(ServiceCost gateway, double cpuShare) {
		return collapsed(1, gateway, cpuShare);
	}

	private static CellResult collapsed(int repetition, ServiceCost gateway, double cpuShare) {
		return new CellResult(new Cell("reactive", "sync", "starved", Load.inFlight(1000), repetition), START,
				START.plusSeconds(60), 1000, 0, Map.of(), 1000, 1000, 1000, 1000, null, null, null,
				Map.of("gateway", gateway), 0, 0, 0.0, 0, null,
				List.of(new Second(0, 10, 0, 1.0, 0.0, 40, null, cpuShare, null, null)));
	}

	private void rates(String variant, String mode, String capacity, double... perSecond) {
		int orders = 1;
		for (double rate : perSecond) {
			orders *= 10;
			this.cells.add(Runs.rate(new Cell(variant, mode, capacity, Load.inFlight(orders), 1), rate));
		}
	}

	private List<String> sentences() {
		return findings().sentences();
	}

	private Conclusions findings() {
		return new Conclusions(run());
	}

	private RunResult run() {
		return Runs.run("compare", null, this.cells, List.of());
	}

}
