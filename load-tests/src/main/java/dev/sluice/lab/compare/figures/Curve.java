package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.figures.Coordinates.Series;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;

/**
 * Throughput of one series over the load.
 *
 * @param points at least one, by rising load
 */
public record Curve(Series series, List<Point> points) {

	public Curve {
		points = points.stream().sorted(Comparator.comparingInt(Point::size)).toList();
	}

	/**
	 * The repetitions of one load.
	 *
	 * @param perSecond orders saved per second, median of the repetitions
	 * @param min rate of the slowest repetition
	 * @param max rate of the fastest repetition
	 * @param marked whether one of them is unreliable
	 * @param failedShare share of their calls that failed, 0 to 1
	 */
	public record Point(Load load, double perSecond, double min, double max, boolean marked, double failedShare) {

		public static Point of(Load load, List<CellResult> cells) {
			double[] rates = cells.stream().mapToDouble(CellResult::savedPerSecond).sorted().toArray();
			Double median = Figures.median(Arrays.stream(rates));
			return new Point(load, (median != null) ? median : 0, rates[0], rates[rates.length - 1],
					cells.stream().anyMatch(Reliability::marked), Curve.failedShare(cells));
		}

		public int size() {
			return this.load.size();
		}

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

}
