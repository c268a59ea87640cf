package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.ToDoubleFunction;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ModeByLoadTests {

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void namesTheModeThatTheTestFinds() {
		RunResult run = comparison(8, (cell) -> switch (cell.load().size()) {
			case 10 -> cell.repetition() % 2 == 0 ? 1.02 : 0.98;
			case 100 -> 0.5;
			default -> 2;
		});

		assertThat(choices(run)).containsExactly(null, Mode.SYNC, Mode.QUEUED);
	}

	@Test
	void fewPairsWithoutADifferenceSeldomShowOne() {
		Random random = new Random(16);
		int shown = 0;
		for (int trial = 0; trial < 5_000; trial++) {
			double[] sync = { 1_000, 1_000 };
			double[] queued = { 1_000 * Math.exp(0.14 * random.nextGaussian()),
					1_000 * Math.exp(0.14 * random.nextGaussian()) };
			shown += (ModeByLoad.Ratio.of(sync, queued).greater() != null) ? 1 : 0;
		}

		assertThat(shown).isLessThan(50);
	}

	@Test
	void eachVariantOfARepetitionIsAPair() {
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= 4; repetition++) {
			for (String variant : List.of("reactive", "servlet-virtual")) {
				cells.add(Runs.rate(new Cell(variant, "sync", "starved", Load.inFlight(10), repetition), 1_000));
				cells.add(Runs.rate(new Cell(variant, "queued", "starved", Load.inFlight(10), repetition),
						variant.equals("reactive") ? 4_000 : 2_000));
			}
		}

		assertThat(ModeByLoad.of(Runs.run("compare", null, cells))).singleElement()
			.satisfies((load) -> assertThat(load.rate().pairs()).isEqualTo(8))
			.satisfies((load) -> assertThat(load.rate().greater()).isEqualTo(Mode.QUEUED))
			.satisfies((load) -> assertThat(load.rate().least()).isCloseTo(2, within(1e-9)))
			.satisfies((load) -> assertThat(load.rate().greatest()).isCloseTo(4, within(1e-9)));
	}

	/** The headline must not grow when the system gets worse. */
	@ParameterizedTest
	@CsvSource({ "2, 0.9", "2, 0.5", "2, 0.1", "8, 0.9", "8, 0.5", "8, 0.1" })
	void aSlowerQueuedModeNeverLooksBetter(int repetitions, double slower) {
		List<ModeByLoad> before = ModeByLoad.of(comparison(repetitions, (_) -> 1.5));
		List<ModeByLoad> after = ModeByLoad.of(comparison(repetitions, (_) -> 1.5 * slower));

		for (int i = 0; i < before.size(); i++) {
			assertThat(after.get(i).rate().median()).isLessThan(before.get(i).rate().median());
			assertThat(after.get(i).rate().high()).isLessThan(before.get(i).rate().high());
		}
	}

	@Test
	void onePairOfManyMayDisagree() {
		RunResult run = comparison(12, (cell) -> (cell.repetition() == 8) ? 0.99 : 2 + cell.repetition() / 100.0);

		assertThat(ModeByLoad.of(run)).extracting((load) -> load.rate().greater()).containsOnly(Mode.QUEUED);
	}

	@Test
	void tellsHowSoonAClientIsAnswered() {
		Wait soon = new Wait(2_000, 0, 10.0, 20.0, 30.0);
		Wait late = new Wait(2_000, 0, 100.0, 200.0, 300.0);
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= 8; repetition++) {
			cells.add(Runs.waiting(Runs.rate(cell("sync", 10, repetition), 100), late, late));
			cells.add(Runs.waiting(Runs.rate(cell("queued", 10, repetition), 100), soon, late));
		}

		assertThat(only(cells).rate().greater()).isNull();
		assertThat(Objects.requireNonNull(only(cells).answer()).greater()).isEqualTo(Mode.SYNC);
		assertThat(Objects.requireNonNull(only(cells).saved()).greater()).isNull();
	}

	@Test
	void loadsOfDifferentKindsDoNotMix() {
		CellResult sync = Runs.rate(new Cell("reactive", "sync", "starved", new Load(Load.Kind.BURST, 10), 1), 100);

		assertThat(of(List.of(sync, Runs.rate(cell("queued", 10, 1), 100)))).isEmpty();
	}

	@Test
	void anotherVariantAndAnotherBackendAreNoPartners() {
		RunResult run = Runs.run("compare", null,
				List.of(Runs.rate(cell("sync", 10, 1), 100),
						Runs.rate(new Cell("servlet-async", "queued", "starved", Load.inFlight(10), 1), 100),
						Runs.rate(new Cell("reactive", "queued", "unlimited", Load.inFlight(10), 1), 100)));

		assertThat(ModeByLoad.of(run)).isEmpty();
	}

	@Test
	void aDifferenceOfAQuarterIsNotShown() {
		assertThat(choice(1.25, 1.3)).isNull();
		assertThat(choice(1.26, 1.3)).isEqualTo(Mode.QUEUED);
		assertThat(choice(0.8, 0.7)).isNull();
		assertThat(choice(0.79, 0.7)).isEqualTo(Mode.SYNC);
		assertThat(choice(0.1)).as("one pair").isNull();
	}

	@Test
	void theIntervalOfFewPairsIsTheirRange() {
		ModeByLoad.Ratio few = ratio(3, 1.5, 2);

		assertThat(few.low()).isCloseTo(1.5, within(1e-9));
		assertThat(few.high()).isCloseTo(3, within(1e-9));
	}

	@Test
	void theDoubtOfEightPairsIsThatOfTheTest() {
		ModeByLoad.Ratio many = ratio(1.5, 1.6, 1.7, 1.8, 1.9, 2, 2.1, 2.2);

		assertThat(many.low()).isEqualTo(many.comparison().low());
		assertThat(many.high()).isEqualTo(many.comparison().high());
	}

	@Test
	void aModesFiguresAreMediansOfItsCells() {
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= 3; repetition++) {
			cells.add(Runs.waiting(Runs.rate(cell("sync", 10, repetition), 100 * repetition), waited(10.0 * repetition),
					waited(100.0 * repetition)));
			cells.add(Runs.waiting(Runs.rate(cell("queued", 10, repetition), 300 * repetition),
					waited(1.0 * repetition), (repetition == 3) ? null : waited(1_000.0 * repetition)));
		}

		ModeByLoad load = only(cells);

		assertThat(load.sync().median(CellResult::savedPerSecond)).isEqualTo(200);
		assertThat(load.queued().median(CellResult::acceptedP50)).isEqualTo(2);
		assertThat(load.capacity()).isEqualTo("starved");
		assertThat(load.load()).isEqualTo(Load.inFlight(10));
		assertThat(load.rate().median()).isCloseTo(3, within(1e-9));
		assertThat(Objects.requireNonNull(load.answer()).median()).isCloseTo(0.1, within(1e-9));
		assertThat(Objects.requireNonNull(load.saved()).pairs()).as("those that have it in both modes").isEqualTo(2);
	}

	@Test
	void anAnswerInNoTimeIsNoRatio() {
		ModeByLoad load = only(List.of(Runs.waiting(Runs.rate(cell("sync", 10, 1), 100), waited(0.0), waited(1.0)),
				Runs.waiting(Runs.rate(cell("queued", 10, 1), 100), waited(1.0), waited(0.0))));

		assertThat(load.answer()).isNull();
	}

	@Test
	void tellsEachBackendAndItsLoadsInTheirOrder() {
		List<CellResult> cells = new ArrayList<>();
		for (String capacity : List.of("workers", "mine", "unlimited")) {
			for (Load load : List.of(new Load(Load.Kind.BURST, 5), Load.inFlight(100), Load.inFlight(20))) {
				cells.add(Runs.rate(new Cell("reactive", "sync", capacity, load, 1), 100));
				cells.add(Runs.rate(new Cell("reactive", "queued", capacity, load, 1), 100));
			}
		}

		List<ModeByLoad> loads = of(cells);

		assertThat(loads).extracting(ModeByLoad::capacity)
			.containsExactly("workers", "workers", "workers", "unlimited", "unlimited", "unlimited", "mine", "mine",
					"mine");
		assertThat(loads).extracting(ModeByLoad::load)
			.startsWith(Load.inFlight(20), Load.inFlight(100), new Load(Load.Kind.BURST, 5));
		assertThat(ModeByLoad.byCapacity(loads)).hasSize(3).allSatisfy((_, each) -> assertThat(each).hasSize(3));
	}

	private static List<@Nullable Mode> choices(RunResult run) {
		return ModeByLoad.of(run).stream().map((load) -> load.rate().greater()).toList();
	}

	private static @Nullable Mode choice(double... ratios) {
		return ratio(ratios).greater();
	}

	/** Of the queued mode's figures to the sync mode's. */
	private static ModeByLoad.Ratio ratio(double... queued) {
		double[] sync = new double[queued.length];
		Arrays.fill(sync, 1);
		return ModeByLoad.Ratio.of(sync, queued);
	}

	private static ModeByLoad only(List<CellResult> cells) {
		List<ModeByLoad> loads = of(cells);
		assertThat(loads).hasSize(1);
		return loads.getFirst();
	}

	private static List<ModeByLoad> of(List<CellResult> cells) {
		return ModeByLoad.of(Runs.run("compare", null, cells));
	}

	/** Of which p99 is twice the median. */
	private static Wait waited(double median) {
		return new Wait(2_000, 0, median, median, median * 2);
	}

	private static RunResult comparison(int repetitions, ToDoubleFunction<Cell> ratio) {
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= repetitions; repetition++) {
			for (int load : List.of(10, 100, 1_000)) {
				Cell sync = cell("sync", load, repetition);
				cells.add(Runs.rate(sync, 1_000));
				cells.add(Runs.rate(cell("queued", load, repetition), 1_000 * ratio.applyAsDouble(sync)));
			}
		}
		return Runs.run("compare", null, cells);
	}

	private static Cell cell(String mode, int load, int repetition) {
		return new Cell("reactive", mode, "starved", Load.inFlight(load), repetition);
	}

	/** With 400 orders saved per second in either mode. */
	@Test
	void saysFirstThatQueuedOrdersAreSavedLaterAndWhichBacklogMakesIt() {
		pair("workers", 10, waited(50), waited(60), waited(10), waited(5_000));
		pair("workers", 10, waited(50), waited(50), waited(12.5), waited(4_000));
		pair("workers", 100, waited(250), waited(250), waited(240), waited(240));
		pair("workers", 100, waited(250), waited(250), waited(260), waited(260));

		assertThat(answers()).singleElement()
			.isEqualTo(
					"Slow backend (20 workers): sync saves an order sooner at 10 in flight, no clear difference at 100 in flight (a queued one waits behind up to 6,000 placed before it, a limit of this run); queued answers sooner at 10 in flight, no clear difference at 100 in flight; no call fails.");
		assertThat(ModeOverview.phrases(of(this.cells)).rows()).containsExactly(
				List.of("Slow backend (20 workers)", "10 in flight", "sync, 81.6 times (80 to 83.3)",
						"queued, 4.47 times (4 to 5)", "no clear difference (1)", "–", "none", "2"),
				List.of("Slow backend (20 workers)", "100 in flight", "no clear difference (0.96 to 1.04)",
						"no clear difference (0.96 to 1.04)", "no clear difference (1)", "–", "none", "2"));
	}

	@Test
	void saysWhatFailsAndWhatAnOrderCosts() {
		for (int repetition = 1; repetition <= 2; repetition++) {
			this.cells.add(spent("sync", repetition, 30, 4.0));
			this.cells.add(spent("queued", repetition, 0, 2.0));
		}

		assertThat(answers()).singleElement()
			.asString()
			.endsWith("of the calls, up to 30 % fail with sync, none with queued.");
		assertThat(ModeOverview.phrases(of(this.cells)).rows()).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.list(String.class))
			.contains("queued, 2 times (2)", "sync 30 %, queued 0 %");
		assertThat(ModeOverview.lines(of(this.cells))).singleElement()
			.asString()
			.endsWith("; less CPU for an order: queued, 2 times (2); failed calls: sync 30 %, queued 0 %");
	}

	private List<String> answers() {
		return ModeOverview.answers(of(this.cells));
	}

	private void pair(String capacity, int load, Wait syncAccepted, Wait syncSaved, Wait queuedAccepted,
			Wait queuedSaved) {
		int repetition = 1 + this.cells.size() / 2;
		this.cells
			.add(Runs.waiting(Runs.rate(new Cell("reactive", "sync", capacity, Load.inFlight(load), repetition), 400),
					syncAccepted, syncSaved));
		this.cells
			.add(Runs.waiting(Runs.rate(new Cell("reactive", "queued", capacity, Load.inFlight(load), repetition), 400),
					queuedAccepted, queuedSaved));
	}

	private static CellResult spent(String mode, int repetition, long failed, double cpuMillis) {
		CellResult rate = Runs.rate(new Cell("reactive", mode, "workers", Load.inFlight(10), repetition), 400);
		return new CellResult(rate.cell(), rate.start(), rate.end(), 100, failed, Map.of(), 100 - failed, 100 - failed,
				400, 400, null, null, null, Map.of("gateway", new ServiceCost(cpuMillis, null, null, null, null, null),
						"load-generator", new ServiceCost(9.0, null, null, null, null, null)),
				0L, 0, 0.0, 0, null, null);
	}

}
