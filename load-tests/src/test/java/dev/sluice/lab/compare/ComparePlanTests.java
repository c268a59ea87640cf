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
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ComparePlanTests {

	private static final URI GATEWAY = URI.create("http://a:1");

	private static final WarmUpWindow WINDOW = new WarmUpWindow(5, 100, 1.0, 0.01);

	private static final ComparePlan GRID = GridExperiment.plan(Length.QUICK);

	private static final List<Mode> BOTH = List.of(Mode.values());

	private static final List<BackendModel> BOTH_BACKENDS = List.of(BackendModel.WORKERS, BackendModel.UNLIMITED);

	@Test
	void allGatewaysRunTogetherAndEachRepetitionHasEachCellOnce() {
		ComparePlan plan = plan(List.of("a", "b"), List.of(10, 100), 2, 1, true);

		assertThat(plan.blocks()).singleElement()
			.satisfies((block) -> assertThat(block.names()).containsExactly("a", "b"));
		assertThat(plan.cells()).hasSize(2 * 2 * 2 * 2 * 2).doesNotHaveDuplicates();
		assertThat(plan.cells().subList(0, 16)).allMatch((cell) -> cell.repetition() == 1);
	}

	@Test
	void theSeedDrawsTheOrder() {
		List<Cell> cells = plan(List.of("a", "b"), List.of(10, 100), 1, 1, true).cells();

		assertThat(plan(List.of("a", "b"), List.of(10, 100), 1, 1, true).cells()).isEqualTo(cells);
		assertThat(plan(List.of("a", "b"), List.of(10, 100), 1, 2, true).cells()).isNotEqualTo(cells)
			.containsExactlyInAnyOrderElementsOf(cells);
	}

	@Test
	void eachRepetitionHasAnOrderOfItsOwn() {
		List<Cell> cells = plan(List.of("a", "b"), List.of(10, 100, 1_000), 2, 1, true).cells();

		assertThat(names(cells.subList(0, 24))).isNotEqualTo(names(cells.subList(24, 48)))
			.containsExactlyInAnyOrderElementsOf(names(cells.subList(24, 48)));
	}

	private static List<String> names(List<Cell> cells) {
		return cells.stream().map((cell) -> cell.variant() + cell.mode() + cell.capacity() + cell.load()).toList();
	}

	@Test
	void hasOneBackendAfterTheOther() {
		List<Cell> cells = plan(List.of("a", "b"), List.of(10, 100), 1, 1, true).cells();

		assertThat(IntStream.range(1, cells.size())
			.filter((i) -> !cells.get(i).capacity().equals(cells.get(i - 1).capacity()))).hasSize(1);
	}

	@Test
	void gatewaysThatRunAloneAreStartedAnewInEachRepetition() {
		ComparePlan plan = plan(List.of("a", "b"), List.of(10), 2, 1, false);

		assertThat(plan.blocks()).extracting(Block::name).containsExactlyInAnyOrder("1-a", "1-b", "2-a", "2-b");
		assertThat(plan.blocks()).allSatisfy((block) -> assertThat(block.cells())
			.allMatch((cell) -> block.name().equals(cell.repetition() + "-" + cell.variant())));
	}

	@Test
	void refusesNothingToCompare() {
		assertThatIllegalArgumentException().isThrownBy(() -> sweep(List.of(), List.of(10), 1, 1, true));
		assertThatIllegalArgumentException().isThrownBy(() -> sweep(List.of("a"), List.of(0), 1, 1, true));
		assertThatIllegalArgumentException().isThrownBy(() -> sweep(List.of("a"), List.of(10), 0, 1, true));
	}

	private static ComparePlan plan(List<String> variants, List<Integer> loads, int repetitions, long seed,
			boolean together) {
		Sweep sweep = sweep(variants, loads, repetitions, seed, together);
		return new ComparePlan(sweep.blocks(), sweep.backends(), CellLoad.smallest(sweep.kind()), "1g", ComparePlan.G1,
				1);
	}

	private static Sweep sweep(List<String> variants, List<Integer> loads, int repetitions, long seed,
			boolean together) {
		List<Gateway> gateways = variants.stream()
			.map((name) -> new Gateway(name, Variant.REACTIVE, ServiceOptions.NONE))
			.toList();
		return new Sweep(gateways, BOTH, BOTH_BACKENDS, Load.Kind.IN_FLIGHT, loads, repetitions, seed, together);
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

	@Test
	void aCellInFlightLastsForATimeAndANumberOfOrders() {
		Phase phase = phase(CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000), 30);

		assertThat(phase.client().users()).isEqualTo(30);
		assertThat(phase.extent().lastMillis()).isEqualTo(10_000);
		assertThat(phase.extent().orders()).isEqualTo(2_000);
		assertThat(phase.deadlineMillis()).isEqualTo(45_000);
	}

	@Test
	void onlyWhatIsQueuedHasABacklogThatEndsACellInFlight() {
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);

		assertThat(phase(load, 30).extent().mostBacklog()).isZero();
		assertThat(load
			.phase("x", new Cell("reactive", "queued", "workers", Load.inFlight(30), 1),
					new Target(GATEWAY, Mode.QUEUED), BackendModel.WORKERS, true)
			.extent()
			.mostBacklog()).isEqualTo(6_000);
	}

	@Test
	void anOfferedCellHasTheOrdersThatAreDueInItsTimeAndNoFewerThanTheLeast() {
		CellLoad load = CellLoad.lasting(Load.Kind.OFFERED, 45_000);

		assertThat(phase(load, 1_000).extent().orders()).isEqualTo(10_000);
		assertThat(phase(load, 1_000).client().perSecond()).isEqualTo(1_000);
		assertThat(phase(load, 100).extent().orders()).isEqualTo(2_000);
		assertThat(phase(load, 100).deadlineMillis()).as("20 s of orders on top").isEqualTo(65_000);
		assertThat(phase(load, 100).extent().isTimed()).isFalse();
	}

	@Test
	void aBurstIsANumberOfOrders() {
		Phase phase = phase(CellLoad.burst(45_000, 4_000), 3_000);

		assertThat(phase.extent().orders()).isEqualTo(3_000);
		assertThat(phase.client().users()).isEqualTo(1_000);
		assertThat(phase.extent().isTimed()).isFalse();
	}

	@Test
	void theRatesOfAScenarioAreOfferedToWarmServices() {
		ComparePlan plan = Scenario.read(Path.of("scenarios/slow-partner.yaml")).plan("mine");
		CellLoad load = plan.load();

		assertThat(plan.cells()).extracting((cell) -> cell.load().size()).containsOnly(20, 60);
		assertThat(phase(load, 20).client()).isEqualTo(new Client(1_000, true, 20, 2));
		assertThat(phase(load, 20).extent()).isEqualTo(Extent.of(400));
		assertThat(load.settling().isLong()).isTrue();
	}

	@Test
	void aWarmUpIsWindowsOfLoadUntilTheyAgree() {
		List<Target> targets = List.of(new Target(GATEWAY, Mode.SYNC));
		CellLoad load = CellLoad.lasting(Load.Kind.IN_FLIGHT, 45_000);

		assertThat(load.warmUp(targets, List.of(Mode.SYNC))).singleElement().satisfies((phase) -> {
			assertThat(phase.targets()).isEqualTo(targets);
			assertThat(phase.warmUp()).isNotNull();
			assertThat(phase.warmUp().leastMillis()).isEqualTo(30_000);
			assertThat(phase.warmUp().mostMillis()).isEqualTo(360_000);
			assertThat(phase.extent().lastMillis()).isEqualTo(5_000);
		});
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
		assertThat(CellLoad.warming(new Settling(5_000, 30_000, 360_000),
				List.of(new WarmUpWindow(5, 100, 1.0, 0.5), new WarmUpWindow(10, 200, 1.0, 0.3))))
			.isEqualTo(
					"warm-up, 10 s of at most 360: orders saved per second 100, then 200 (until two in a row agree within 10 %), compiling 30 % of the CPU (until at most 5 %)");
	}

	private static Phase phase(CellLoad load, int size) {
		return load.phase("x", new Cell("reactive", "sync", "unlimited", new Load(load.kind(), size), 1),
				new Target(GATEWAY, Mode.SYNC), BackendModel.UNLIMITED, true);
	}

}
