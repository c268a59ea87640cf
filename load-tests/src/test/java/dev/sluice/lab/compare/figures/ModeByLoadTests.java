package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.sluice.lab.compare.figures.ModeByLoad.Choice;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class ModeByLoadTests {

	@Test
	void namesTheModeThatTheTestFinds() {
		RunResult run = comparison(8, (cell) -> switch (cell.load().size()) {
			case 10 -> cell.repetition() % 2 == 0 ? 1.02 : 0.98;
			case 100 -> 0.5;
			default -> 2;
		});

		assertThat(ModeByLoad.sentences(ModeByLoad.of(List.of(run)))).containsExactly(
				"Slow backend (starved): queued saves more at 1,000 in flight, sync saves more at 100 in flight,"
						+ " both save as many at 10 in flight, within 10 %.");
	}

	@Test
	void saysWhatMayHideWherePairsDisagree() {
		RunResult run = comparison(8, (cell) -> 0.85 + 0.05 * cell.repetition());

		assertThat(ModeByLoad.sentences(ModeByLoad.of(List.of(run)))).containsExactly(
				"Slow backend (starved): not told apart at every load (a difference of up to 25 % may hide).");
	}

	@Test
	void saysWhatFewPairsShowAndThatItIsNoTest() {
		RunResult run = comparison(2, (cell) -> switch (cell.load().size()) {
			case 10 -> cell.repetition() % 2 == 0 ? 1.2 : 1.5;
			case 100 -> 0.5;
			default -> 2;
		});

		assertThat(ModeByLoad.sentences(ModeByLoad.of(List.of(run)))).containsExactly(
				"Slow backend (starved): queued saved more at 1,000 in flight, sync saved more at 100 in flight,"
						+ " not told apart at 10 in flight (× 1.2 to 1.5) (not tested).");
	}

	@Test
	void fewPairsWithoutADifferenceSeldomShowOne() {
		Random random = new Random(16);
		int shown = 0;
		for (int trial = 0; trial < 5_000; trial++) {
			double[] sync = { 1_000, 1_000 };
			double[] queued = { 1_000 * Math.exp(0.14 * random.nextGaussian()),
					1_000 * Math.exp(0.14 * random.nextGaussian()) };
			shown += ModeByLoad.Ratio.of(sync, queued).choice().shown() ? 1 : 0;
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

		assertThat(ModeByLoad.of(List.of(Runs.run("compare", null, cells, List.of())))).singleElement()
			.satisfies((load) -> assertThat(load.rate().pairs()).isEqualTo(8))
			.satisfies((load) -> assertThat(load.rate().choice()).isEqualTo(Choice.QUEUED))
			.satisfies((load) -> assertThat(load.rate().least()).isCloseTo(2, within(1e-9)))
			.satisfies((load) -> assertThat(load.rate().greatest()).isCloseTo(4, within(1e-9)));
	}

	@Test
	void aSinglePairDecidesNothing() {
		assertThat(ModeByLoad.of(List.of(comparison(1, (_) -> 2)))).extracting((load) -> load.rate().choice())
			.containsOnly(Choice.UNSAID);
	}

	/** The headline must not grow when the system gets worse. */
	@ParameterizedTest
	@CsvSource({ "2, 0.9", "2, 0.5", "2, 0.1", "8, 0.9", "8, 0.5", "8, 0.1" })
	void aSlowerQueuedModeNeverLooksBetter(int repetitions, double slower) {
		List<ModeByLoad> before = ModeByLoad.of(List.of(comparison(repetitions, (_) -> 1.5)));
		List<ModeByLoad> after = ModeByLoad.of(List.of(comparison(repetitions, (_) -> 1.5 * slower)));

		for (int i = 0; i < before.size(); i++) {
			assertThat(after.get(i).rate().median()).isLessThan(before.get(i).rate().median());
			assertThat(after.get(i).rate().high()).isLessThan(before.get(i).rate().high());
		}
	}

	@Test
	void onePairOfManyMayDisagree() {
		RunResult run = comparison(12, (cell) -> (cell.repetition() == 8) ? 0.99 : 2 + cell.repetition() / 100.0);

		assertThat(ModeByLoad.of(List.of(run))).extracting((load) -> load.rate().choice()).containsOnly(Choice.QUEUED);
	}

	@Test
	void tellsHowSoonAClientIsAnswered() {
		Wait soon = new Wait(2_000, 0, 10.0, 20.0, 30.0);
		Wait late = new Wait(2_000, 0, 100.0, 200.0, 300.0);
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= 8; repetition++) {
			cells.add(Runs.rate(cell("sync", 10, repetition), 100).waiting(late, late));
			cells.add(Runs.rate(cell("queued", 10, repetition), 100).waiting(soon, late));
		}

		assertThat(ModeByLoad.sentences(ModeByLoad.of(List.of(Runs.run("compare", null, cells, List.of())))))
			.containsExactly("Slow backend (starved): both save as many at every load, within 10 %;"
					+ " queued answers sooner at every load.");
	}

	@Test
	void pairsOfSeveralRunsCountTogether() {
		RunResult run = comparison(4, (_) -> 2);

		assertThat(ModeByLoad.of(List.of(run, run))).extracting((load) -> load.rate().pairs()).containsOnly(8);
		assertThat(ModeByLoad.of(List.of(run))).extracting((load) -> load.rate().pairs()).containsOnly(4);
	}

	@Test
	void loadsOfDifferentKindsDoNotMix() {
		CellResult sync = Runs.rate(new Cell("reactive", "sync", "starved", new Load(Load.Kind.BURST, 10), 1), 100);

		assertThat(ModeByLoad
			.of(List.of(Runs.run("compare", null, List.of(sync, Runs.rate(cell("queued", 10, 1), 100)), List.of()))))
			.isEmpty();
	}

	@Test
	void whatWasRunInOneModeAloneIsNoPair() {
		RunResult run = Runs.run("compare", null, List.of(Runs.rate(cell("sync", 10, 1), 100),
				Runs.rate(cell("queued", 10, 2), 200), Runs.rate(cell("queued", 100, 1), 200)), List.of());

		assertThat(ModeByLoad.of(List.of(run))).isEmpty();
	}

	@FunctionalInterface
	private interface Ratio {

		double of(Cell sync);

	}

	private static RunResult comparison(int repetitions, Ratio ratio) {
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= repetitions; repetition++) {
			for (int load : List.of(10, 100, 1_000)) {
				Cell sync = cell("sync", load, repetition);
				cells.add(Runs.rate(sync, 1_000));
				cells.add(Runs.rate(cell("queued", load, repetition), 1_000 * ratio.of(sync)));
			}
		}
		return Runs.run("compare", null, cells, List.of());
	}

	private static Cell cell(String mode, int load, int repetition) {
		return new Cell("reactive", mode, "starved", Load.inFlight(load), repetition);
	}

}
