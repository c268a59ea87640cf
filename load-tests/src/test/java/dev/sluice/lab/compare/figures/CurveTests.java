package dev.sluice.lab.compare.figures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Curve.Point;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class CurveTests {

	private static final Series SERIES = new Series("starved", "sync", "reactive");

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	@Test
	void hasItsPointsByRisingLoad() {
		Curve curve = new Curve(SERIES, List.of(point(100, 3), point(10, 2), point(50, 1)));

		assertThat(curve.points()).extracting(Point::size).containsExactly(10, 50, 100);
	}

	@Test
	void aPointIsTheMedianOfItsRepetitions() {
		Point point = Point.of(Load.inFlight(10), List.of(rate(10, 3, 400), rate(10, 1, 100), rate(10, 2, 200)));

		assertThat(point).isEqualTo(new Point(Load.inFlight(10), 200, 100, 400, false, 0));
	}

	@Test
	void aPointIsMarkedIfARepetitionIs() {
		Point point = Point.of(Load.inFlight(10),
				List.of(calls(100, 0, null), calls(300, 100, "gave up"), calls(0, 0, null)));

		assertThat(point.marked()).isTrue();
		assertThat(point.failedShare()).isEqualTo(0.25);
	}

	@Test
	void noneOfNoCallsFailed() {
		assertThat(Curve.failedShare(List.of())).isZero();
		assertThat(Curve.failedShare(List.of(calls(0, 0, null)))).isZero();
	}

	@Test
	void eachSeriesHasACurveOfItsLoads() {
		List<CellResult> cells = new ArrayList<>();
		for (String variant : List.of("reactive", "servlet-platform")) {
			for (int load : List.of(100, 10)) {
				for (int repetition = 1; repetition <= 2; repetition++) {
					cells.add(Runs.rate(new Cell(variant, "sync", "starved", Load.inFlight(load), repetition),
							load + repetition));
				}
			}
		}

		List<Curve> curves = Curve.of(Runs.run("compare", null, cells, List.of()));

		assertThat(curves).extracting((curve) -> curve.series().variant())
			.containsExactly("servlet-platform", "reactive");
		assertThat(curves).allSatisfy((curve) -> assertThat(curve.points()).containsExactly(
				new Point(Load.inFlight(10), 11.5, 11, 12, false, 0),
				new Point(Load.inFlight(100), 101.5, 101, 102, false, 0)));
	}

	private static Point point(int load, double perSecond) {
		return new Point(Load.inFlight(load), perSecond, perSecond, perSecond, false, 0);
	}

	private static CellResult rate(int load, int repetition, double perSecond) {
		return Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(load), repetition), perSecond);
	}

	private static CellResult calls(long calls, long failed, @Nullable String problem) {
		return new CellResult(new Cell("reactive", "sync", "starved", Load.inFlight(10), 1), START,
				START.plusSeconds(1), calls, failed, Map.of(), 10, 10, 10, 10, null, null, null, Map.of(), 0L, 0, 0.0,
				0, problem, null);
	}

}
