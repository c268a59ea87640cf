package dev.sluice.lab.compare;

import java.util.List;
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
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Variant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class ComparePlanTests {

	private static final List<Mode> BOTH = List.of(Mode.values());

	private static final List<BackendModel> BOTH_BACKENDS = Stream.of(BackendModel.WORKERS, BackendModel.UNLIMITED)
		.toList();

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

	private static final ComparePlan GRID = GridExperiment.plan(Length.QUICK);

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

}
