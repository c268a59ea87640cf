package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.CellGroup.Pair;
import dev.sluice.lab.compare.page.ModeByLoad.Measure;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.result.Runs;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ModeByLoadTests {

	private static final Load TEN = Load.inFlight(10);

	private final List<CellResult> cells = new ArrayList<>();

	/** Ratios of the queued mode's figures to the sync mode's. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			1.02 0.98 1.02 0.98 1.02 0.98 1.02 0.98 | ''
			0.5 0.5 0.5 0.5 0.5 0.5 0.5 0.5         | sync
			2 2 2 2 2 2 2 2                         | queued
			# one pair of many may disagree
			2.01 2.02 2.03 2.04 2.05 2.06 2.07 0.99 2.09 2.1 2.11 2.12 | queued
			# few pairs show a difference of more than a quarter, one pair shows none
			1.25 1.3                                | ''
			1.26 1.3                                | queued
			0.8 0.7                                 | ''
			0.79 0.7                                | sync
			0.1                                     | ''
			""")
	void namesTheModeThatIsBetter(String ratios, String better) {
		assertThat(Measure.RATE.better(paired(Stream.of(ratios.split(" ")).mapToDouble(Double::parseDouble).toArray())))
			.isEqualTo(better);
	}

	@Test
	void fewPairsWithoutADifferenceSeldomShowOne() {
		Random random = new Random(16);
		int shown = 0;
		for (int trial = 0; trial < 5_000; trial++) {
			ModeByLoad two = paired(Math.exp(0.14 * random.nextGaussian()), Math.exp(0.14 * random.nextGaussian()));
			shown += Measure.RATE.better(two).isEmpty() ? 0 : 1;
		}

		assertThat(shown).isLessThan(50);
	}

	@Test
	void eachVariantOfARepetitionIsAPair() {
		for (int repetition = 1; repetition <= 4; repetition++) {
			pair(new Cell("reactive", "sync", "starved", TEN, repetition), 1_000, 4_000);
			pair(new Cell("servlet-virtual", "sync", "starved", TEN, repetition), 1_000, 2_000);
		}

		assertThat(only().pairs()).hasSize(8);
		assertThat(Measure.RATE.better(only())).isEqualTo("queued");
	}

	/** The headline must not grow when the system gets worse. */
	@ParameterizedTest
	@CsvSource({ "2, 0.9", "2, 0.5", "2, 0.1", "8, 0.9", "8, 0.5", "8, 0.1" })
	void aSlowerQueuedModeNeverLooksBetter(int repetitions, double slower) {
		PairedComparison before = paired(DoubleStream.generate(() -> 1.5).limit(repetitions).toArray()).rate();
		PairedComparison after = paired(DoubleStream.generate(() -> 1.5 * slower).limit(repetitions).toArray()).rate();

		assertThat(after.medianRatio()).isLessThan(before.medianRatio());
		assertThat(after.high()).isLessThan(before.high());
	}

	@Test
	void tellsHowSoonAClientIsAnswered() {
		for (int repetition = 1; repetition <= 8; repetition++) {
			pair(cell(repetition), 100, 100, waited(100), waited(100), waited(10), waited(100));
		}

		assertThat(Stream.of(Measure.values()).map((measure) -> measure.better(only()))).containsExactly("", "queued",
				"", "");
	}

	@Test
	void cellsOfAnotherLoadVariantOrBackendAreNoPair() {
		this.cells.add(Runs.rate(cell(1), 100));
		for (Cell queued : List.of(new Cell("reactive", "queued", "starved", new Load(Load.Kind.BURST, 10), 1),
				new Cell("servlet-async", "queued", "starved", TEN, 1),
				new Cell("reactive", "queued", "unlimited", TEN, 1))) {
			this.cells.add(Runs.rate(queued, 100));
		}

		assertThat(loads()).isEmpty();
	}

	@Test
	void aModesFiguresAreMediansOfItsCells() {
		for (int repetition = 1; repetition <= 3; repetition++) {
			pair(cell(repetition), 100 * repetition, 300 * repetition, waited(10 * repetition),
					waited(100 * repetition), waited(repetition),
					(repetition == 3) ? null : waited(1_000 * repetition));
		}

		ModeByLoad load = only();

		assertThat(load.sync().median(CellResult::savedPerSecond)).isEqualTo(200);
		assertThat(load.queued().median(CellResult::acceptedP50)).isEqualTo(2);
		assertThat(load.capacity()).isEqualTo("starved");
		assertThat(load.load()).isEqualTo(TEN);
		assertThat(load.rate().medianRatio()).isCloseTo(3, within(1e-9));
		assertThat(Objects.requireNonNull(Measure.ANSWERED.of(load)).medianRatio()).isCloseTo(0.1, within(1e-9));
		assertThat(Objects.requireNonNull(Measure.SAVED.of(load)).pairs()).as("those that have it in both modes")
			.isEqualTo(2);
	}

	@Test
	void anAnswerInNoTimeIsNoRatio() {
		pair(cell(1), 100, 100, waited(0), waited(1), waited(1), waited(0));

		assertThat(Measure.ANSWERED.of(only())).isNull();
	}

	@Test
	void tellsEachBackendAndItsLoadsInTheirOrder() {
		Load burst = new Load(Load.Kind.BURST, 5);
		for (String capacity : List.of("workers", "mine", "unlimited")) {
			for (Load load : List.of(burst, Load.inFlight(100), TEN)) {
				pair(new Cell("reactive", "sync", capacity, load, 1), 100, 100);
			}
		}

		assertThat(loads()).extracting(ModeByLoad::capacity)
			.containsExactly("workers", "workers", "workers", "unlimited", "unlimited", "unlimited", "mine", "mine",
					"mine");
		assertThat(loads()).extracting(ModeByLoad::load).startsWith(TEN, Load.inFlight(100), burst);
		assertThat(ModeByLoad.byCapacity(loads())).hasSize(3).allSatisfy((_, each) -> assertThat(each).hasSize(3));
	}

	/** Pairs with these ratios of the rates. */
	private static ModeByLoad paired(double... ratios) {
		return new ModeByLoad(DoubleStream.of(ratios)
			.mapToObj((ratio) -> new Pair(Runs.rate(cell(1), 1), Runs.rate(cell(1), ratio)))
			.toList());
	}

	private ModeByLoad only() {
		assertThat(loads()).hasSize(1);
		return loads().getFirst();
	}

	private List<ModeByLoad> loads() {
		return ModeByLoad.of(Runs.run("compare", null, this.cells));
	}

	/** Of which p99 is twice the median. */
	private static Wait waited(double median) {
		return new Wait(2_000, 0, median, median, median * 2);
	}

	private static Cell cell(int repetition) {
		return new Cell("reactive", "sync", "starved", TEN, repetition);
	}

	/**
	 * Adds a cell and the same of the queued mode.
	 * @param waits until accepted and until saved, sync and then queued
	 */
	private void pair(Cell sync, double syncRate, double queuedRate, @Nullable Wait... waits) {
		@Nullable Wait[] four = Arrays.copyOf(waits, 4);
		Cell queued = new Cell(sync.variant(), "queued", sync.capacity(), sync.load(), sync.repetition());
		this.cells.add(Runs.waiting(Runs.rate(sync, syncRate), four[0], four[1]));
		this.cells.add(Runs.waiting(Runs.rate(queued, queuedRate), four[2], four[3]));
	}

	/** With 400 orders saved per second in either mode. */
	@Test
	void saysFirstThatQueuedOrdersAreSavedLaterAndWhichBacklogMakesIt() {
		pair(workers(10, 1), 400, 400, waited(50), waited(60), waited(10), waited(5_000));
		pair(workers(10, 2), 400, 400, waited(50), waited(50), waited(12.5), waited(4_000));
		pair(workers(100, 1), 400, 400, waited(250), waited(250), waited(240), waited(240));
		pair(workers(100, 2), 400, 400, waited(250), waited(250), waited(260), waited(260));

		assertThat(answers()).singleElement()
			.isEqualTo(
					"Slow backend (20 workers): sync saves an order sooner at 10 in flight, no clear difference at 100 in flight (a queued one waits behind up to 6,000 placed before it, a limit of this run); queued answers sooner at 10 in flight, no clear difference at 100 in flight; no call fails.");
		assertThat(ModeOverview.phrases(loads()).rows()).containsExactly(
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
		assertThat(ModeOverview.phrases(loads()).rows()).singleElement()
			.asInstanceOf(InstanceOfAssertFactories.list(String.class))
			.contains("queued, 2 times (2)", "sync 30 %, queued 0 %");
		assertThat(ModeOverview.lines(loads())).singleElement()
			.asString()
			.endsWith("; less CPU for an order: queued, 2 times (2); failed calls: sync 30 %, queued 0 %");
	}

	private List<String> answers() {
		return ModeOverview.answers(loads());
	}

	private static Cell workers(int load, int repetition) {
		return new Cell("reactive", "sync", "workers", Load.inFlight(load), repetition);
	}

	private static CellResult spent(String mode, int repetition, long failed, double cpuMillis) {
		CellResult rate = Runs.rate(new Cell("reactive", mode, "workers", Load.inFlight(10), repetition), 400);
		return new CellResult(rate.cell(), rate.start(), rate.end(), 100, failed, Map.of(), 100 - failed, 100 - failed,
				400, 400, null, null, null, Map.of("gateway", new ServiceCost(cpuMillis, null, null, null, null, null),
						"load-generator", new ServiceCost(9.0, null, null, null, null, null)),
				0L, 0, 0.0, 0, null, null);
	}

}
