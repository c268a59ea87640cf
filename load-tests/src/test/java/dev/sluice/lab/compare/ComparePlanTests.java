package dev.sluice.lab.compare;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.compare.ComparePlan.Block;
import dev.sluice.lab.compare.ComparePlan.Gateway;
import dev.sluice.lab.compare.ComparePlan.Sweep;
import dev.sluice.lab.compare.page.Collapse.Setting;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.BackendModel;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.Phase.Target;
import dev.sluice.lab.kit.plan.Phase.WarmUpWindow;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ComparePlanTests {

	private static final URI GATEWAY = URI.create("http://a:1");

	private static final WarmUpWindow WINDOW = new WarmUpWindow(5, 100, 1.0, 0.01);

	private static final ComparePlan GRID = GridExperiment.plan(Length.QUICK);

	@Test
	void allGatewaysRunTogetherAndEachRepetitionHasEachCellOnce() {
		ComparePlan plan = plan(1, true);

		assertThat(plan.blocks()).singleElement()
			.satisfies((block) -> assertThat(block.names()).containsExactly("a", "b"));
		assertThat(plan.cells()).hasSize(2 * 2 * 2 * 3 * 2).doesNotHaveDuplicates();
		assertThat(plan.cells().subList(0, 24)).allMatch((cell) -> cell.repetition() == 1);
	}

	@Test
	void theSeedDrawsTheOrderOfEachRepetitionWithOneBackendAfterTheOther() {
		List<Cell> cells = plan(1, true).cells();

		assertThat(plan(1, true).cells()).isEqualTo(cells);
		assertThat(plan(2, true).cells()).isNotEqualTo(cells).containsExactlyInAnyOrderElementsOf(cells);
		assertThat(names(cells.subList(0, 24))).isNotEqualTo(names(cells.subList(24, 48)))
			.containsExactlyInAnyOrderElementsOf(names(cells.subList(24, 48)));
		assertThat(IntStream.range(1, 24).filter((i) -> !cells.get(i).capacity().equals(cells.get(i - 1).capacity())))
			.hasSize(1);
	}

	private static List<String> names(List<Cell> cells) {
		return cells.stream().map((cell) -> cell.variant() + cell.mode() + cell.capacity() + cell.load()).toList();
	}

	@Test
	void gatewaysThatRunAloneAreStartedAnewInEachRepetition() {
		ComparePlan plan = plan(1, false);

		assertThat(plan.blocks()).extracting(Block::name).containsExactlyInAnyOrder("1-a", "1-b", "2-a", "2-b");
		assertThat(plan.blocks()).allSatisfy((block) -> assertThat(block.cells())
			.allMatch((cell) -> block.name().equals(cell.repetition() + "-" + cell.variant())));
	}

	@Test
	void refusesLoadsAndRepetitionsBelowOne() {
		assertThatIllegalArgumentException().isThrownBy(() -> sweep(List.of("a"), List.of(0), 1, 1, true));
		assertThatIllegalArgumentException().isThrownBy(() -> sweep(List.of("a"), List.of(10), 0, 1, true));
	}

	private static ComparePlan plan(long seed, boolean together) {
		Sweep sweep = sweep(List.of("a", "b"), List.of(10, 100, 1_000), 2, seed, together);
		return new ComparePlan(sweep.blocks(), sweep.backends(), CellLoad.smallest(sweep.kind()), "1g", ComparePlan.G1,
				1);
	}

	private static Sweep sweep(List<String> variants, List<Integer> loads, int repetitions, long seed,
			boolean together) {
		List<Gateway> gateways = variants.stream()
			.map((name) -> new Gateway(name, Variant.REACTIVE, ServiceOptions.NONE))
			.toList();
		return new Sweep(gateways, List.of(Mode.values()), List.of(BackendModel.WORKERS, BackendModel.UNLIMITED),
				Load.Kind.IN_FLIGHT, loads, repetitions, seed, together);
	}

	@Test
	void eachCellHasItsBackend() {
		assertThat(GRID.cells()).allSatisfy((cell) -> assertThat(GRID.backend(cell).behaviour().delay())
			.isEqualTo(new Delay.Fixed(Long.parseLong(cell.capacity().replace(" ms", "")))));
	}

	@Test
	void aSmallPoolIsSetAndTheUsualOneIsNot() {
		assertThat(GRID.blocks().getFirst().gateways())
			.extracting((gateway) -> gateway.options().properties().get("server.tomcat.threads.max"))
			.startsWith("14", null);
	}

	@ParameterizedTest
	@EnumSource(value = Load.Kind.class, names = "BURST", mode = EnumSource.Mode.EXCLUDE)
	void cellsThatLastDifferentTimesHaveBackendsThatDoNotChangeMeanwhile(Load.Kind kind) {
		assertThat(CompareExperiment.capacities(kind, Length.QUICK)).doesNotContain(BackendModel.STARVED)
			.isEqualTo(CompareExperiment.capacities(kind, Length.WHOLE));
	}

	@Test
	void eachRepetitionBeginsWithAnotherSetting() {
		ComparePlan plan = new CausesPlan(Length.WHOLE, 2).plan();

		assertThat(gateways(plan).subList(0, 8)).isEqualTo(Stream.of(Setting.values()).map(Setting::label).toList());
		assertThat(gateways(plan).subList(8, 16)).startsWith("backend 3 threads")
			.endsWith("base")
			.containsExactlyInAnyOrderElementsOf(gateways(plan).subList(0, 8));
		assertThat(plan.cells()).doesNotHaveDuplicates();
	}

	@Test
	void withoutRepetitionsTheBaseRunsFirstAndLast() {
		assertThat(gateways(new CausesPlan(Length.QUICK, 3).plan())).startsWith("base").endsWith("base").hasSize(9);
	}

	@Test
	void eachCellHasAPhaseOfItsOwnAndABackend() {
		ComparePlan plan = new CausesPlan(Length.QUICK, 1).plan();

		assertThat(plan.blocks()).allSatisfy((block) -> {
			assertThat(block.cells()).extracting(Block::phase).doesNotHaveDuplicates();
			assertThat(block.cells()).allSatisfy((cell) -> assertThat(plan.backend(cell)).isNotNull());
		});
	}

	@Test
	void twoSettingsHaveNewConnections() {
		assertThat(new CausesPlan(Length.QUICK, 1).plan().blocks()).filteredOn(Block::newConnections)
			.flatExtracting(Block::names)
			.containsExactly("new connections", "all together");
	}

	private static List<String> gateways(ComparePlan plan) {
		return plan.blocks().stream().flatMap((block) -> block.names().stream()).toList();
	}

	/**
	 * Cells of at least 10 s and 2,000 orders, with a deadline after 45 s, and a burst.
	 */
	@ParameterizedTest
	@CsvSource({ "IN_FLIGHT, 30, SYNC, users=30 orders=2000 lastMillis=10000 deadlineMillis=45000 mostBacklog=0",
			// only what is queued has a backlog that ends a cell in flight
			"IN_FLIGHT, 30, QUEUED, mostBacklog=6000",
			"OFFERED, 1000, SYNC, orders=10000 perSecond=1000.0 lastMillis=0",
			// no fewer than the least number of orders, which takes 20 s
			"OFFERED, 100, SYNC, orders=2000 deadlineMillis=65000 lastMillis=0",
			"BURST, 3000, SYNC, orders=3000 users=1000 lastMillis=0" })
	void aCellHasTheOrdersAndTheTimeOfItsLoad(Load.Kind kind, int size, Mode mode, String expected) {
		CellLoad load = (kind == Load.Kind.BURST) ? CellLoad.burst(45_000, 4_000) : CellLoad.lasting(kind, 45_000);

		assertThat(phase(load, size, mode).toString().split("[\\[\\], ]+")).contains(expected.split(" "));
	}

	@Test
	void theRatesOfAScenarioAreOfferedToWarmServices() {
		ComparePlan plan = Scenario.read(Path.of("scenarios/slow-partner.yaml")).plan("mine");
		CellLoad load = plan.load();

		assertThat(plan.cells()).extracting((cell) -> cell.load().size()).containsOnly(20, 60);
		assertThat(phase(load, 20, Mode.SYNC).client()).isEqualTo(new Client(1_000, true, 20, 2));
		assertThat(phase(load, 20, Mode.SYNC).extent()).isEqualTo(Extent.of(400));
		assertThat(load.settling().isLong()).isTrue();
	}

	@Test
	void aWarmUpIsWindowsOfLoadUntilTheyAgree() {
		List<Target> targets = List.of(new Target(GATEWAY, Mode.SYNC));
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);

		assertThat(load.warmUp(targets, List.of(Mode.SYNC))).singleElement().satisfies((phase) -> {
			assertThat(phase.targets()).isEqualTo(targets);
			assertThat(phase.extent().lastMillis()).isEqualTo(5_000);
		});
		assertThat(load.settling()).isEqualTo(new Settling(5_000, 30_000, 360_000));
	}

	@Test
	void aWarmUpThatDidNotSettleFailsTheCheck() {
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);
		List<WarmUpWindow> settled = List.of(WINDOW, WINDOW);
		List<WarmUpWindow> rising = List.of(WINDOW, new WarmUpWindow(10, 200, 1.0, 0.01));

		assertThat(load.warmUpCheck(Map.of("1", settled))).get().extracting(Check::holds).isEqualTo(true);
		assertThat(load.warmUpCheck(Map.of("1", settled, "2", rising))).get().extracting(Check::holds).isEqualTo(false);
		assertThat(load.warmUpCheck(Map.of("1", settled, "2", rising))).get()
			.extracting(Check::detail)
			.asString()
			.contains("1 of 2 warm-ups", "; not before 2");
		assertThat(load.warmUpCheck(Map.of())).get().extracting(Check::holds).isEqualTo(false);
		assertThat(CellLoad.burst(1, 1).warmUpCheck(Map.of())).isEmpty();
	}

	@Test
	void saysHowFarAWarmUpIsAndWhatItWaitsFor() {
		assertThat(CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000)
			.warming(List.of(new WarmUpWindow(5, 100, 1.0, 0.5), new WarmUpWindow(10, 200, 1.0, 0.3)))).isEqualTo(
					"warm-up, 10 s of at most 360: orders saved per second 100, then 200 (until two in a row agree within 10 %), compiling 30 % of the CPU (until at most 5 %)");
	}

	private static Phase phase(CellLoad load, int size, Mode mode) {
		return load.phase("x", new Cell("reactive", mode.toString(), "unlimited", new Load(load.kind(), size), 1),
				new Target(GATEWAY, mode), BackendModel.UNLIMITED, true);
	}

}
