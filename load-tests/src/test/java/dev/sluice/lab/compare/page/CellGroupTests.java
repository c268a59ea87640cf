package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.compare.page.CellGroup.Pair;
import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

class CellGroupTests {

	private final List<CellResult> cells = new ArrayList<>();

	@Test
	void areInTheOrderOfBackendModeVariantAndLoadAndUnknownNamesComeLastByTheAlphabet() {
		measured("b", "sync", "starved", 10);
		measured("a", "sync", "starved", 10);
		measured("reactive", "another", "starved", 10);
		measured("reactive", "queued", "unlimited", 10);
		measured("reactive", "sync", "mine", 10);
		measured("servlet-async", "sync", "starved", 100, 20);
		measured("reactive", "sync", "starved", 10);
		measured("servlet-platform", "queued", "starved", 10);
		measured("servlet-platform", "sync", "starved", 10);
		measured("reactive", "queued", "workers", 10);

		assertThat(groups())
			.extracting((group) -> String.join(" ", group.capacity(), group.mode(), group.variant(),
					Integer.toString(group.size())))
			.containsExactly("workers queued reactive 10", "starved sync servlet-platform 10",
					"starved sync servlet-async 20", "starved sync servlet-async 100", "starved sync reactive 10",
					"starved sync a 10", "starved sync b 10", "starved queued servlet-platform 10",
					"starved another reactive 10", "unlimited queued reactive 10", "mine sync reactive 10");
		assertThat(CellGroup.sizes(groups())).containsExactly(10, 20, 100);
	}

	@Test
	void drawsEachKnownVariantDifferentlyAndAllOthersAlike() {
		assertThat(List.of("servlet-platform", "servlet-virtual", "servlet-async", "reactive"))
			.extracting(CellGroup::style)
			.doesNotHaveDuplicates()
			.doesNotContain(CellGroup.style("a"));
		assertThat(CellGroup.style("a")).isEqualTo(CellGroup.style("b"));
	}

	@Test
	void showsTheGreatestLoadOfEverySeriesOfABackendInDetail() {
		measured("reactive", "sync", "starved", 10, 100, 1000);
		measured("reactive", "queued", "starved", 10, 100, 500);
		measured("reactive", "sync", "unlimited", 50);

		assertThat(CellGroup.inDetail(groups())).extracting(CellGroup::size).containsExactly(100, 100, 50);
	}

	@Test
	void showsTheGreatestLoadInDetailIfNoneIsOfEverySeries() {
		measured("reactive", "sync", "starved", 10, 1000);
		measured("reactive", "queued", "starved", 100);

		assertThat(CellGroup.inDetail(groups())).extracting(CellGroup::size).containsExactly(1000);
	}

	@Test
	void findsTheRepetitionsOfASeriesAtALoad() {
		measured("reactive", "sync", "starved", 10, 100);
		measured("reactive", "queued", "starved", 10);
		CellResult again = rate(10, 2, 1000);
		this.cells.add(again);

		assertThat(CellGroup.at(groups(), new Series("starved", "sync", "reactive"), 10)).get()
			.isEqualTo(new CellGroup(List.of(this.cells.getFirst(), again)));
		assertThat(CellGroup.at(groups(), new Series("starved", "sync", "reactive"), 50)).isEmpty();
	}

	@Test
	void aPointIsTheMedianWithTheRangeOfItsRepetitions() {
		assertThat(new CellGroup(List.of(rate(10, 3, 400), rate(10, 1, 100), rate(10, 2, 200)))
			.point(CellResult::savedPerSecond)).get().isEqualTo(new Chart.Point(10, 200, 100, 400, false, 0));
	}

	@Test
	void hasNoMedianOfAFigureThatACellLacks() {
		CellResult known = Runs.waiting(rate(10, 1, 100), null, new Wait(10, 0, 7.0, null, null));

		assertThat(new CellGroup(List.of(known, known)).median(CellResult::toSaved, Wait::p50)).isEqualTo(7);
		assertThat(new CellGroup(List.of(known, rate(10, 2, 100))).median(CellResult::savedP50)).isNull();
		assertThat(new CellGroup(List.of(known)).point(CellResult::acceptedP50)).isEmpty();
	}

	@Test
	void isMarkedIfACellIsAndSumsTheFailedCalls() {
		CellGroup group = new CellGroup(List.of(rate(200, 1, 100), Runs.bare(rate(10, 2, 1).cell(), "gave up")));

		assertThat(group.marked()).isTrue();
		assertThat(group.failedShare()).isCloseTo(1788 / 2400.0, within(1e-9));
		assertThat(new CellGroup(List.of(rate(10, 1, 1))).marked()).isFalse();
	}

	@Test
	void pairsTheRepetitionsThatHaveARate() {
		CellGroup one = new CellGroup(List.of(rate(10, 1, 100), rate(10, 2, 100), rate(10, 3, 100)));
		CellGroup other = new CellGroup(List.of(rate(10, 3, 300), rate(10, 1, 0)));

		assertThat(one.pairs(other)).containsExactly(new Pair(one.cells().get(2), other.cells().getFirst()));
	}

	private static CellResult rate(int load, int repetition, double perSecond) {
		return Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(load), repetition), perSecond);
	}

	private void measured(String variant, String mode, String capacity, int... loads) {
		for (int load : loads) {
			this.cells.add(Runs.rate(new Cell(variant, mode, capacity, Load.inFlight(load), 1), 1000));
		}
	}

	private List<CellGroup> groups() {
		return CellGroup.of(Runs.run("compare", null, this.cells));
	}

}
