package dev.sluice.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.result.Cell;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class OverviewTests {

	private static final Pattern ID = Pattern.compile("<[a-z1-6]+ [^>]*?\\bid=\"([^\"]+)\"");

	private static final Pattern LINK = Pattern.compile("href=\"#([^\"]+)\"");

	@Test
	void saysWhichWaySuitsWhichLoad() {
		RunResult run = comparison(8, (cell) -> switch (cell.orders()) {
			case 10 -> cell.repetition() % 2 == 0 ? 1.02 : 0.98;
			case 100 -> 0.5;
			default -> 2;
		});

		assertThat(ModeByLoad.sentences(ModeByLoad.of(List.of(run))))
			.containsExactly("Backend starved: queued at N = 1,000 (it saved 2 times as many orders a minute);"
					+ " sync at N = 100 (queued saved 0.5 times as many orders a minute); no difference at N = 10."
					+ " No call failed.");
	}

	@Test
	void namesNoWayOfTooFewPairsAndSaysWhereAllLie() {
		RunResult run = comparison(7, (cell) -> switch (cell.orders()) {
			case 10 -> cell.repetition() % 2 == 0 ? 1.02 : 0.98;
			case 100 -> 0.5;
			default -> 2;
		});

		assertThat(ModeByLoad.sentences(ModeByLoad.of(List.of(run)))).singleElement()
			.asString()
			.startsWith(
					"Backend starved: too few pairs to say at N = 10, 100, 1,000 (queued saved 0.5 to 2 times as many"
							+ " orders a minute, more in every pair at N = 1,000, fewer in every pair at N = 100).");
	}

	@Test
	void pairsOfSeveralRunsCountTogether() {
		RunResult run = comparison(4, (_) -> 2);

		assertThat(ModeByLoad.of(List.of(run, run))).extracting((load) -> load.ratio().pairs()).containsOnly(8);
		assertThat(ModeByLoad.of(List.of(run))).extracting((load) -> load.ratio().pairs()).containsOnly(4);
	}

	@Test
	void whatWasRunInOneWayAloneIsNoPair() {
		RunResult run = Runs.run("compare", null,
				List.of(Runs.rate(new Cell("reactive", "sync", "starved", 10, 1), 100),
						Runs.rate(new Cell("reactive", "queued", "starved", 10, 2), 200),
						Runs.rate(new Cell("servlet-async", "queued", "starved", 10, 1), 200),
						Runs.rate(new Cell("reactive", "queued", "unlimited", 10, 1), 200)),
				List.of());

		assertThat(ModeByLoad.of(List.of(run))).isEmpty();
	}

	@Test
	void tellsHowManyCallsFailed() {
		List<ModeByLoad> loads = ModeByLoad.of(List.of(Runs.full()));

		assertThat(loads).anySatisfy((load) -> assertThat(load.sync().failedShare()).isPositive());
		assertThat(ModeByLoad.sentences(loads)).anySatisfy((sentence) -> assertThat(sentence)
			.containsPattern("Failed calls: up to \\d+ % of the sync ones \\(N = [\\d,]+\\), "));
	}

	@Test
	void standsBeforeSeveralRunsAndLinksToEach() {
		String page = Report.page(List.of(Runs.full(), Runs.grid(), Runs.knee(), Runs.client(), Runs.pool()));

		assertThat(page.indexOf("id=\"overview\"")).isPositive().isLessThan(page.indexOf("id=\"run-1\""));
		assertThat(page).contains("Which mode for which load?", "href=\"#run-5\"",
				"How much more does a gateway answer that does not block?", "What limits it");
	}

	@Test
	void aSingleRunNeedsNone() {
		assertThat(Report.page(List.of(Runs.full()))).doesNotContain("id=\"overview\"");
	}

	@Test
	void leavesScenariosOutOfTheComparison() {
		assertThat(Report.page(List.of(Runs.scenario(), Runs.grid()))).contains("No run of lab compare is among these");
	}

	@Test
	void saysThatNothingWasCompared() {
		assertThat(Report.page(List.of(Runs.grid(), Runs.knee()))).contains("No run of lab compare is among these");
	}

	@Test
	void everyIdIsThereOnceAndEveryLinkLeadsToOne() {
		String page = Report
			.page(List.of(Runs.full(), Runs.partial(), Runs.grid(), Runs.knee(), Runs.client(), Runs.pool(),
					Runs.chaos(0), Runs.proofs(0), Runs.run("drain", null, List.of(), List.of())))
			.replaceAll("(?s)<script.*?</script>", "");

		List<String> ids = ID.matcher(page).results().map((MatchResult match) -> match.group(1)).toList();
		assertThat(ids).doesNotHaveDuplicates();
		assertThat(LINK.matcher(page).results().map((match) -> match.group(1))).isNotEmpty().allMatch(ids::contains);
		assertThat(page.split("<main", -1)).hasSize(2);
	}

	@FunctionalInterface
	private interface Ratio {

		double of(Cell sync);

	}

	private static RunResult comparison(int repetitions, Ratio ratio) {
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= repetitions; repetition++) {
			for (int orders : List.of(10, 100, 1_000)) {
				Cell sync = new Cell("reactive", "sync", "starved", orders, repetition);
				cells.add(Runs.rate(sync, 1_000));
				cells.add(Runs.rate(new Cell("reactive", "queued", "starved", orders, repetition),
						1_000 * ratio.of(sync)));
			}
		}
		return Runs.run("compare", null, cells, List.of());
	}

}
