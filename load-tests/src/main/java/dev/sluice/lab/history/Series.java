package dev.sluice.lab.history;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * One figure of one variant, mode and load, over runs.
 *
 * @param name variant, mode, backend and load
 * @param measure name of the figure with its unit
 * @param moments figures in the order of time, without runs that lack the figure
 */
record Series(String name, String measure, List<Moment> moments) {

	/** The measuring processes are not part of an order's cost. */
	private static final List<String> EXCLUDED = List.of("load-generator", "lab");

	Series {
		moments = List.copyOf(moments);
	}

	/**
	 * The figure in a run.
	 *
	 * @param value the median of the run's repetitions
	 * @param low the lowest of them
	 * @param high the highest of them
	 * @param marked whether one of them is unreliable
	 */
	record Moment(Instant time, String commit, double value, double low, double high, boolean marked) {
	}

	private record Key(String name, String measure) {
	}

	private record Figure(double value, boolean marked) {
	}

	private enum Measure {

		SAVED("orders saved per second", CellResult::savedPerSecond),

		CPU("CPU ms per order", Series::cpu),

		WAIT("median wait until saved, ms", (cell) -> (cell.toSaved() != null) ? cell.toSaved().p50() : null);

		private final String words;

		private final Function<CellResult, @Nullable Double> of;

		Measure(String words, Function<CellResult, @Nullable Double> of) {
			this.words = words;
			this.of = of;
		}

	}

	Changes changes() {
		return Changes.of(this.moments.stream().mapToDouble(Moment::value).toArray());
	}

	/**
	 * The series of runs.
	 * @param runs comparable runs in the order of time
	 */
	static List<Series> of(List<RunResult> runs) {
		Map<Key, List<Moment>> series = new LinkedHashMap<>();
		for (RunResult run : runs) {
			figures(run).forEach(
					(key, figures) -> series.computeIfAbsent(key, (_) -> new ArrayList<>()).add(moment(run, figures)));
		}
		return series.entrySet()
			.stream()
			.map((each) -> new Series(each.getKey().name(), each.getKey().measure(), each.getValue()))
			.toList();
	}

	private static Moment moment(RunResult run, List<Figure> figures) {
		double[] values = figures.stream().mapToDouble(Figure::value).sorted().toArray();
		String sha = run.environment().gitSha();
		return new Moment(run.startedAt(),
				sha.substring(0, Math.min(8, sha.length())) + (run.environment().gitDirty() ? "+" : ""),
				Changes.median(values), values[0], values[values.length - 1],
				figures.stream().anyMatch(Figure::marked));
	}

	private static Map<Key, List<Figure>> figures(RunResult run) {
		Map<Key, List<Figure>> figures = new LinkedHashMap<>();
		if (run.finding() instanceof CompareResult compare) {
			for (CellResult cell : compare.cells()) {
				for (Measure measure : Measure.values()) {
					add(figures,
							new Key("%s %s, backend %s, %s".formatted(cell.cell().variant(), cell.cell().mode(),
									cell.cell().capacity(), cell.cell().load()), measure.words),
							measure.of.apply(cell), Reliability.marked(cell));
				}
			}
		}
		if (run.finding() instanceof KneeResult knees) {
			knees.knees()
				.forEach((knee) -> add(figures,
						new Key("%s, %s, %s".formatted(knee.name(), knees.goal(), knees.backend()),
								"highest rate that meets the goal, per second"),
						knee.sustainedPerSecond(), knee.cutShort()));
		}
		return figures;
	}

	private static void add(Map<Key, List<Figure>> figures, Key key, @Nullable Double value, boolean marked) {
		if (value != null && value > 0) {
			figures.computeIfAbsent(key, (_) -> new ArrayList<>()).add(new Figure(value, marked));
		}
	}

	/**
	 * CPU of all services of the system per order; null if that of a service is unknown.
	 */
	private static @Nullable Double cpu(CellResult cell) {
		double[] each = cell.services()
			.entrySet()
			.stream()
			.filter((service) -> !EXCLUDED.contains(service.getKey()))
			.map((service) -> service.getValue().cpuMillisPerOrder())
			.mapToDouble((millis) -> (millis != null) ? millis : Double.NaN)
			.toArray();
		double sum = Arrays.stream(each).sum();
		return (each.length > 0 && !Double.isNaN(sum)) ? sum : null;
	}

	/** A sentence for each change of the series, or for its drift. */
	List<String> sentences(Changes changes) {
		List<String> sentences = new ArrayList<>();
		String what = "%s, %s: ".formatted(this.name, this.measure);
		if (changes.drift() != null) {
			sentences.add(what + "drifts by %s a run (95 %% interval %s to %s), over %d runs.".formatted(
					signed(changes.drift().perRun()), signed(changes.drift().low()), signed(changes.drift().high()),
					this.moments.size()));
		}
		for (Changes.Point point : changes.points()) {
			sentences.add(what + "%s%s at %s%s.".formatted(signed(point.ratio()), interval(point),
					this.moments.get(point.at()).commit(), place(point)));
		}
		return sentences;
	}

	static String interval(Changes.Point point) {
		return (point.low() > 0) ? " (95 %% interval %s to %s)".formatted(signed(point.low()), signed(point.high()))
				: " (too few runs on a side for an interval)";
	}

	/**
	 * Other runs that may be the first of the level, and whether the commit differs at
	 * all.
	 */
	private String place(Changes.Point point) {
		String before = this.moments.get(point.at() - 1).commit();
		String own = this.moments.get(point.at()).commit();
		String between = (point.earliest() == point.latest()) ? "" : ", or from %s to %s"
			.formatted(this.moments.get(point.earliest()).commit(), this.moments.get(point.latest()).commit());
		return between + (before.equals(own) ? "; the run before has the same commit, so it is not the code" : "");
	}

	static String signed(double ratio) {
		String percent = Figures.percent(ratio - 1);
		// Before the first digit: a small change begins with "<".
		return (ratio >= 1) ? percent.replaceFirst("[0-9]", "+$0") : percent;
	}

}
