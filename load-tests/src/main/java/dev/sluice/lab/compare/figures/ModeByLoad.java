package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.statistics.PairedComparison;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * Compares the two modes before one backend and under one load. A pair is a variant in a
 * repetition of a run, once in each mode. The plan draws for each pair which of its cells
 * comes first. If the mode made no difference, each pair would be equally likely the
 * other way round, whatever the machine did to several of them. The test of
 * {@link PairedComparison} needs nothing else, so each pair of a repetition counts.
 *
 * @param capacity the backend's capacity
 * @param rate the queued mode's orders saved per second, as a multiple of the sync mode's
 * @param answer the ratio of the times until an order is accepted; null if unknown
 * @param saving the ratio of the times until an order is saved; null if unknown
 */
public record ModeByLoad(String capacity, Load load, Ratio rate, @Nullable Ratio answer, @Nullable Ratio saving,
		ModeFigures sync, ModeFigures queued) {

	/**
	 * Share by which each of a few pairs must differ in the same direction to show a
	 * difference. With the noise of pairs on shared machines (a standard deviation of
	 * 0.14), two pairs without a difference do so in fewer than one of a hundred cases.
	 */
	public static final double SHOWN_BY = 0.25;

	private static final Words RATE = new Words(ModeByLoad::rate, "queued saves more", "queued saved more",
			"sync saves more", "sync saved more", "both save as many");

	private static final Words ANSWER = new Words(ModeByLoad::answer, "sync answers sooner", "sync answered sooner",
			"queued answers sooner", "queued answered sooner", "both answer as soon");

	/** The verdict on a ratio. */
	public enum Choice {

		/** The queued mode's figure is greater. */
		QUEUED,

		/** The queued mode's figure was much greater in each of a few pairs. */
		QUEUED_SHOWN,

		/** The sync mode's figure is greater. */
		SYNC,

		/** The sync mode's figure was much greater in each of a few pairs. */
		SYNC_SHOWN,

		/** Neither figure exceeds the other by a tenth. */
		SAME,

		/** One figure may exceed the other by a tenth or more, or they may be equal. */
		INCONCLUSIVE,

		/** The pairs are too few for a verdict, and disagree or differ little. */
		TOO_FEW_PAIRS;

		/** Whether the verdict rests on a few pairs, too few for a test. */
		boolean shown() {
			return this == QUEUED_SHOWN || this == SYNC_SHOWN;
		}

	}

	/**
	 * The queued mode's figures as multiples of the sync mode's.
	 *
	 * @param comparison comparison of the pairs
	 * @param least smallest ratio of the pairs
	 * @param greatest greatest ratio of the pairs
	 */
	public record Ratio(PairedComparison comparison, double least, double greatest) {

		static Ratio of(double[] sync, double[] queued) {
			double least = Double.MAX_VALUE;
			double greatest = 0;
			for (int i = 0; i < sync.length; i++) {
				least = Math.min(least, queued[i] / sync[i]);
				greatest = Math.max(greatest, queued[i] / sync[i]);
			}
			return new Ratio(PairedComparison.of(sync, queued), least, greatest);
		}

		public double median() {
			return this.comparison.medianRatio();
		}

		/** Lower end of the interval; with too few pairs, the smallest ratio. */
		public double low() {
			return tested() ? this.comparison.low() : this.least;
		}

		/** Upper end of the interval; with too few pairs, the greatest ratio. */
		public double high() {
			return tested() ? this.comparison.high() : this.greatest;
		}

		public int pairs() {
			return this.comparison.pairs();
		}

		public Choice choice() {
			return switch (this.comparison.verdict()) {
				case FASTER -> Choice.QUEUED;
				case SLOWER -> Choice.SYNC;
				case SAME -> Choice.SAME;
				case INCONCLUSIVE -> Choice.INCONCLUSIVE;
				case TOO_FEW_PAIRS -> shown();
			};
		}

		/** Whether there are enough pairs for the test. */
		boolean tested() {
			return pairs() >= PairedComparison.MIN_PAIRS;
		}

		private Choice shown() {
			if (pairs() >= 2 && this.least > 1 + SHOWN_BY) {
				return Choice.QUEUED_SHOWN;
			}
			return (pairs() >= 2 && this.greatest < 1 / (1 + SHOWN_BY)) ? Choice.SYNC_SHOWN : Choice.TOO_FEW_PAIRS;
		}

		/** The interval and the number of pairs. */
		public String interval() {
			return "%s to %s, %s".formatted(Figures.measured(low()), Figures.measured(high()),
					(pairs() == 1) ? "1 pair" : pairs() + " pairs");
		}

	}

	/**
	 * Figures of one mode: medians of the cells.
	 *
	 * @param failedShare share of its calls that failed
	 * @param acceptedP99 99th percentile of the time from the first try until accepted,
	 * in milliseconds; null if unknown
	 * @param savedP99 99th percentile of the time from the first try until saved, in
	 * milliseconds; null if unknown
	 * @param marked whether one of its cells is unreliable
	 * @param bottleneck what limited most of its cells; empty if unknown
	 */
	public record ModeFigures(double savedPerSecond, double failedShare, @Nullable Double acceptedP99,
			@Nullable Double savedP99, boolean marked, String bottleneck) {

		private static ModeFigures of(List<CellResult> cells) {
			return new ModeFigures(
					Objects.requireNonNullElse(Figures.median(cells.stream().mapToDouble(CellResult::savedPerSecond)),
							0.0),
					Curve.failedShare(cells), median(cells, (cell) -> p99(cell.toAccepted())),
					median(cells, (cell) -> p99(cell.toSaved())), cells.stream().anyMatch(Reliability::marked),
					bottleneck(cells));
		}

		private static String bottleneck(List<CellResult> cells) {
			return cells.stream()
				.map(CellResult::utilisation)
				.map((busy) -> (busy != null) ? busy.bottleneck() : null)
				.filter(Objects::nonNull)
				.collect(Collectors.groupingBy(Bottleneck::words, TreeMap::new, Collectors.counting()))
				.entrySet()
				.stream()
				.max(Map.Entry.comparingByValue())
				.map(Map.Entry::getKey)
				.orElse("");
		}

		private static @Nullable Double p99(@Nullable Wait wait) {
			return (wait != null) ? wait.p99() : null;
		}

		private static @Nullable Double median(List<CellResult> cells, Function<CellResult, @Nullable Double> figure) {
			return Figures.median(cells.stream().map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
		}

	}

	private record Key(String capacity, Load load) {
	}

	/** A variant in a repetition, in both modes. */
	private record Pair(CellResult sync, CellResult queued) {

		/** The figures of both modes; null if one of them is unknown. */
		double @Nullable [] figures(Function<CellResult, @Nullable Double> figure) {
			Double one = figure.apply(this.sync);
			Double other = figure.apply(this.queued);
			return (one != null && other != null && one > 0 && other > 0) ? new double[] { one, other } : null;
		}

	}

	/**
	 * The comparisons, by backend and rising load. Loads that were run in only one mode
	 * are left out.
	 */
	public static List<ModeByLoad> of(List<RunResult> runs) {
		Map<Key, List<Pair>> pairs = new TreeMap<>(Comparator.comparing(Key::capacity)
			.thenComparing((key) -> key.load().kind())
			.thenComparing((key) -> key.load().size()));
		for (RunResult run : runs) {
			for (CellResult sync : run.cells()) {
				if (measured(sync, Mode.SYNC)) {
					partner(run, sync).ifPresent((queued) -> pairs
						.computeIfAbsent(new Key(sync.cell().capacity(), sync.cell().load()), (_) -> new ArrayList<>())
						.add(new Pair(sync, queued)));
				}
			}
		}
		return pairs.entrySet().stream().map((entry) -> of(entry.getKey(), entry.getValue())).toList();
	}

	private static ModeByLoad of(Key key, List<Pair> pairs) {
		return new ModeByLoad(key.capacity(), key.load(),
				Objects.requireNonNull(ratio(pairs, CellResult::savedPerSecond)),
				ratio(pairs, (cell) -> wait(cell.toAccepted())), ratio(pairs, (cell) -> wait(cell.toSaved())),
				ModeFigures.of(pairs.stream().map(Pair::sync).toList()),
				ModeFigures.of(pairs.stream().map(Pair::queued).toList()));
	}

	/** The median, the only percentile that small cells also have. */
	private static @Nullable Double wait(@Nullable Wait wait) {
		return (wait != null) ? wait.p50() : null;
	}

	private static @Nullable Ratio ratio(List<Pair> pairs, Function<CellResult, @Nullable Double> figure) {
		List<double[]> both = new ArrayList<>();
		for (Pair pair : pairs) {
			double[] figures = pair.figures(figure);
			if (figures != null) {
				both.add(figures);
			}
		}
		return both.isEmpty() ? null : Ratio.of(both.stream().mapToDouble((pair) -> pair[0]).toArray(),
				both.stream().mapToDouble((pair) -> pair[1]).toArray());
	}

	private static Optional<CellResult> partner(RunResult run, CellResult sync) {
		return run.cells()
			.stream()
			.filter((cell) -> measured(cell, Mode.QUEUED) && cell.cell().variant().equals(sync.cell().variant())
					&& cell.cell().capacity().equals(sync.cell().capacity())
					&& cell.cell().load().equals(sync.cell().load())
					&& cell.cell().repetition() == sync.cell().repetition())
			.findFirst();
	}

	private static boolean measured(CellResult cell, Mode mode) {
		return cell.cell().mode().equals(mode.label()) && cell.savedPerSecond() > 0;
	}

	public boolean marked() {
		return this.sync.marked() || this.queued.marked();
	}

	/** The conclusions, one sentence for each backend. */
	public static List<String> sentences(List<ModeByLoad> loads) {
		return byCapacity(loads).entrySet().stream().map((entry) -> {
			List<ModeByLoad> each = entry.getValue();
			String rate = RATE.of(each);
			String answer = ANSWER.of(each);
			boolean shown = each.stream()
				.flatMap((load) -> Stream.of(load.rate(), load.answer()))
				.anyMatch((ratio) -> ratio != null && ratio.choice().shown());
			return "%s: %s%s%s.".formatted(name(entry.getKey()), rate, answer.isEmpty() ? "" : "; " + answer,
					shown ? " (not tested)" : "");
		}).toList();
	}

	/** The backend's name in reports. */
	public static String name(String capacity) {
		return switch (capacity) {
			case Coordinates.WORKERS -> "Slow backend (20 workers)";
			case Coordinates.STARVED -> "Slow backend (starved)";
			case Coordinates.UNLIMITED -> "Fast backend (unlimited)";
			default -> "Backend " + capacity;
		};
	}

	public static Map<String, List<ModeByLoad>> byCapacity(List<ModeByLoad> loads) {
		return loads.stream().collect(Collectors.groupingBy(ModeByLoad::capacity, TreeMap::new, Collectors.toList()));
	}

	/**
	 * The words for a ratio's verdicts.
	 *
	 * @param ratio the ratio
	 * @param queued if the queued mode's figure is greater
	 * @param queuedShown if a few pairs show that it is greater
	 * @param sync if the sync mode's figure is greater
	 * @param syncShown if a few pairs show that it is greater
	 * @param same if neither is greater
	 */
	private record Words(Function<ModeByLoad, @Nullable Ratio> ratio, String queued, String queuedShown, String sync,
			String syncShown, String same) {

		String of(List<ModeByLoad> loads) {
			List<ModeByLoad> known = loads.stream().filter((load) -> this.ratio.apply(load) != null).toList();
			return Stream.of(Choice.values())
				.map((choice) -> part(choice, known.stream().filter((load) -> ratio(load).choice() == choice).toList(),
						known.size()))
				.filter((part) -> !part.isEmpty())
				.collect(Collectors.joining(", "));
		}

		private Ratio ratio(ModeByLoad load) {
			return Objects.requireNonNull(this.ratio.apply(load));
		}

		private String part(Choice choice, List<ModeByLoad> loads, int all) {
			if (loads.isEmpty()) {
				return "";
			}
			String at = at(loads, all);
			return switch (choice) {
				case QUEUED -> "%s %s".formatted(this.queued, at);
				case QUEUED_SHOWN -> "%s %s".formatted(this.queuedShown, at);
				case SYNC -> "%s %s".formatted(this.sync, at);
				case SYNC_SHOWN -> "%s %s".formatted(this.syncShown, at);
				case SAME -> "%s %s, within %s".formatted(this.same, at, Figures.percent(PairedComparison.MARGIN));
				case INCONCLUSIVE -> "inconclusive %s (a difference of up to %s may hide)".formatted(at,
						Figures.percent(loads.stream()
							.mapToDouble((load) -> ratio(load).comparison().mayHide())
							.max()
							.orElseThrow()));
				case TOO_FEW_PAIRS -> "inconclusive %s (× %s)".formatted(at,
						range(loads.stream().mapToDouble((load) -> ratio(load).least()).min().orElseThrow(),
								loads.stream().mapToDouble((load) -> ratio(load).greatest()).max().orElseThrow()));
			};
		}

		private static String at(List<ModeByLoad> loads, int all) {
			return (loads.size() == all) ? "at every load" : "at " + loads.getFirst().load().kind().text(sizes(loads));
		}

		private static String sizes(List<ModeByLoad> loads) {
			return loads.stream()
				.map((load) -> Reliability.sign(Figures.count(load.load().size()), load.marked()))
				.collect(Collectors.joining(", "));
		}

		private static String range(double least, double greatest) {
			String from = Figures.measured(least);
			String to = Figures.measured(greatest);
			return from.equals(to) ? from : "%s to %s".formatted(from, to);
		}

	}

}
