package dev.sluice.lab.compare.figures;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.compare.figures.Curve.Point;
import dev.sluice.lab.compare.figures.Curve.Shape;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.Runs;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

class CurveTests {

	private static final Series SERIES = new Series("starved", "sync", "reactive");

	private static final Instant START = Instant.parse("2026-11-21T09:00:00Z");

	@Test
	void hasItsPointsByRisingLoad() {
		Curve curve = new Curve(SERIES, List.of(point(100, 3), point(10, 2), point(50, 1)));

		assertThat(curve.points()).extracting(Point::size).containsExactly(10, 50, 100);
		assertThat(curve.last().size()).isEqualTo(100);
	}

	@Test
	void needsAPoint() {
		assertThatIllegalArgumentException().isThrownBy(() -> new Curve(SERIES, List.of()))
			.withMessageContaining(SERIES.toString());
	}

	@Test
	void thePeakIsTheFirstOfTheGreatest() {
		assertThat(curve(1, 3, 2, 3).peak().size()).isEqualTo(100);
		assertThat(curve(3, 2).peak().size()).isEqualTo(10);
	}

	@Test
	void fallsFromThePeakToTheGreatestLoad() {
		Curve.Drop end = curve(100, 200, 50, 120).end();

		assertThat(end.from().perSecond()).isEqualTo(200);
		assertThat(end.to().perSecond()).isEqualTo(120);
		assertThat(end.share()).isCloseTo(0.4, within(1e-9));
	}

	@Test
	void doesNotFallWhereThePeakIsAtTheGreatestLoad() {
		assertThat(curve(100, 200).end().share()).isZero();
		assertThat(curve(100, 200).largestDrop().share()).isZero();
	}

	@Test
	void theLargestDropIsFromTheGreatestValueSoFar() {
		Curve.Drop drop = curve(100, 60, 200, 150, 140, 400).largestDrop();

		assertThat(drop.from().perSecond()).isEqualTo(100);
		assertThat(drop.to().perSecond()).isEqualTo(60);
		assertThat(drop.share()).isCloseTo(0.4, within(1e-9));
	}

	@Test
	void aLaterDropMayBeLarger() {
		Curve.Drop drop = curve(100, 90, 200, 100).largestDrop();

		assertThat(drop.from().perSecond()).isEqualTo(200);
		assertThat(drop.to().perSecond()).isEqualTo(100);
	}

	@Test
	void ofTwoEqualDropsTheFirstIsTheLargest() {
		assertThat(curve(100, 50, 100, 50).largestDrop().to().size()).isEqualTo(100);
	}

	@Test
	void nothingCanFallBelowNothing() {
		assertThat(curve(0, 0).end().share()).isZero();
		assertThat(curve(0, 0).shape()).isEqualTo(Shape.HELD);
	}

	@Test
	void itsShapeFollowsFromTheDrops() {
		assertThat(curve(100).shape()).isEqualTo(Shape.UNKNOWN);
		assertThat(curve(100, 100).shape()).isEqualTo(Shape.HELD);
		assertThat(curve(100, 90).shape()).as("a tenth").isEqualTo(Shape.HELD);
		assertThat(curve(100, 89, 100).shape()).as("recovered").isEqualTo(Shape.SAGGED);
		assertThat(curve(100, 50).shape()).as("half").isEqualTo(Shape.SAGGED);
		assertThat(curve(100, 49).shape()).isEqualTo(Shape.COLLAPSED);
		assertThat(curve(100, 10, 100).shape()).as("the end counts").isEqualTo(Shape.SAGGED);
	}

	@Test
	void aPointIsTheMedianOfItsRepetitions() {
		Point point = Point.of(Load.inFlight(10), List.of(rate(10, 3, 400), rate(10, 1, 100), rate(10, 2, 200)));

		assertThat(point).isEqualTo(new Point(Load.inFlight(10), 200, 100, 400, 3, false, 0));
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
				new Point(Load.inFlight(10), 11.5, 11, 12, 2, false, 0),
				new Point(Load.inFlight(100), 101.5, 101, 102, 2, false, 0)));
	}

	/** At 10, 100, 1,000 and so on in flight. */
	private static Curve curve(double... perSecond) {
		List<Integer> loads = Stream.iterate(10, (load) -> load * 10).limit(perSecond.length).toList();
		List<Point> points = new ArrayList<>();
		for (int i = 0; i < perSecond.length; i++) {
			points.add(point(loads.get(i), perSecond[i]));
		}
		return new Curve(SERIES, points);
	}

	private static Point point(int load, double perSecond) {
		return new Point(Load.inFlight(load), perSecond, perSecond, perSecond, 1, false, 0);
	}

	private static CellResult rate(int load, int repetition, double perSecond) {
		return Runs.rate(new Cell("reactive", "sync", "starved", Load.inFlight(load), repetition), perSecond);
	}

	private static CellResult calls(long calls, long failed, @Nullable String problem) {
		return new CellResult(new Cell("reactive", "sync", "starved", Load.inFlight(10), 1), START,
				START.plusSeconds(1), calls, failed, Map.of(), 10, 10, 10, 10, null, null, null, Map.of(), 0L, 0, 0.0,
				0, problem, null, List.of());
	}

}
