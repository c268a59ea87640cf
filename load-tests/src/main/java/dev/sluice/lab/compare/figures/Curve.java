package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;

/**
 * Throughput of one series over the load, and its shape.
 *
 * @param points at least one, by rising load
 */
public record Curve(Series series, List<Point> points) {

	/** A curve that ends below this share of its peak has collapsed. */
	public static final double COLLAPSED_BELOW = 0.5;

	/**
	 * A curve that never falls by more than this share below its greatest value so far
	 * has held. The queued mode of the reference's table, called a plateau, falls by 6 %.
	 */
	public static final double HELD_WITHIN = 0.10;

	public Curve {
		if (points.isEmpty()) {
			throw new IllegalArgumentException("No points: " + series);
		}
		points = points.stream().sorted(Comparator.comparingInt(Point::size)).toList();
	}

	/**
	 * The repetitions of one load.
	 *
	 * @param perSecond orders saved per second, median of the repetitions
	 * @param min rate of the slowest repetition
	 * @param max rate of the fastest repetition
	 * @param repetitions number of repetitions
	 * @param marked whether one of them is unreliable
	 * @param failedShare share of their calls that failed, 0 to 1
	 */
	public record Point(Load load, double perSecond, double min, double max, int repetitions, boolean marked,
			double failedShare) {

		public static Point of(Load load, List<CellResult> cells) {
			double[] rates = cells.stream().mapToDouble(CellResult::savedPerSecond).sorted().toArray();
			Double median = Figures.median(Arrays.stream(rates));
			return new Point(load, (median != null) ? median : 0, rates[0], rates[rates.length - 1], rates.length,
					cells.stream().anyMatch(Reliability::marked), Curve.failedShare(cells));
		}

		public int size() {
			return this.load.size();
		}

	}

	/** The course of a curve after its peak. */
	public enum Shape {

		/** There are fewer than two loads to compare. */
		UNKNOWN("too few loads"),

		/** It never fell further than the limit below the greatest value so far. */
		HELD("held"),

		/** It fell further, but ends at half of its peak or more. */
		SAGGED("sagged"),

		/** It ends below half of its peak. */
		COLLAPSED("collapsed");

		private final String word;

		Shape(String word) {
			this.word = word;
		}

		public String word() {
			return this.word;
		}

	}

	/**
	 * A fall below the greatest value so far.
	 *
	 * @param share share of {@code from} that was lost, 0 to 1
	 */
	public record Drop(Point from, Point to, double share) {

	}

	public static List<Curve> of(RunResult run) {
		Map<Series, List<CellResult>> bySeries = run.cells()
			.stream()
			.collect(Collectors.groupingBy((c) -> Series.of(c.cell()), () -> new TreeMap<>(Coordinates.ORDER),
					Collectors.toList()));
		List<Curve> curves = new ArrayList<>();
		bySeries.forEach((series, cells) -> {
			Map<Load, List<CellResult>> byLoad = cells.stream().collect(Collectors.groupingBy((c) -> c.cell().load()));
			curves.add(new Curve(series,
					byLoad.entrySet().stream().map((e) -> Point.of(e.getKey(), e.getValue())).toList()));
		});
		return curves;
	}

	/** Share of these cells' calls that failed, 0 to 1. */
	public static double failedShare(List<CellResult> cells) {
		long calls = cells.stream().mapToLong(CellResult::calls).sum();
		long failed = cells.stream().mapToLong(CellResult::failedCalls).sum();
		return (calls > 0) ? (double) failed / calls : 0;
	}

	public Optional<Point> at(int load) {
		return this.points.stream().filter((point) -> point.size() == load).findFirst();
	}

	public Point peak() {
		Point peak = this.points.getFirst();
		for (Point point : this.points) {
			if (point.perSecond() > peak.perSecond()) {
				peak = point;
			}
		}
		return peak;
	}

	public Point last() {
		return this.points.getLast();
	}

	/**
	 * From the peak to the greatest load.
	 * @return the drop, with share 0 if the peak is at the greatest load
	 */
	public Drop end() {
		return drop(peak(), last());
	}

	/**
	 * The largest fall below the greatest value so far.
	 * @return the drop, with share 0 if the curve never falls
	 */
	public Drop largestDrop() {
		Point greatest = this.points.getFirst();
		Drop largest = drop(greatest, greatest);
		for (Point point : this.points) {
			if (point.perSecond() > greatest.perSecond()) {
				greatest = point;
			}
			Drop drop = drop(greatest, point);
			if (drop.share() > largest.share()) {
				largest = drop;
			}
		}
		return largest;
	}

	public Shape shape() {
		if (this.points.size() < 2) {
			return Shape.UNKNOWN;
		}
		if (end().share() > 1 - COLLAPSED_BELOW) {
			return Shape.COLLAPSED;
		}
		return (largestDrop().share() <= HELD_WITHIN) ? Shape.HELD : Shape.SAGGED;
	}

	private static Drop drop(Point from, Point to) {
		return new Drop(from, to, (from.perSecond() > 0) ? 1 - to.perSecond() / from.perSecond() : 0);
	}

}
