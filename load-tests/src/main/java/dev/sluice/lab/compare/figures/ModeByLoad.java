package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.statistics.PairedComparison;
import org.jspecify.annotations.Nullable;

/**
 * Compares the two modes before one backend and under one load. A pair is a variant in a
 * repetition, once in each mode. The plan draws for each pair which of its cells comes
 * first. If the mode made no difference, each pair would be equally likely the other way
 * round, whatever the machine did to several of them. The test of
 * {@link PairedComparison} needs nothing else, so each pair of a repetition counts.
 *
 * @param capacity the backend's capacity
 * @param rate the queued mode's orders saved per second, as a multiple of the sync mode's
 * @param answer the ratio of the times until an order is accepted; null if unknown
 * @param saved the ratio of the times until it is saved; null if unknown
 * @param cost the ratio of the system's CPU for it; null if unknown
 */
public record ModeByLoad(String capacity, Load load, Ratio rate, @Nullable Ratio answer, @Nullable Ratio saved,
		@Nullable Ratio cost, ModeFigures sync, ModeFigures queued) {

	/**
	 * A closed-model cell stops placing orders at this many accepted and not yet
	 * delivered: a gateway accepts ten times as fast as a slow backend saves, and the
	 * cell lasts until all are delivered.
	 */
	public static final int MAX_BACKLOG = 6_000;

	/**
	 * Share by which each of a few pairs must differ in the same direction to show a
	 * difference. With the noise of pairs on shared machines (a standard deviation of
	 * 0.14), two pairs without a difference do so in fewer than one of a hundred cases.
	 */
	public static final double SHOWN_BY = 0.25;

	/** The verdict on a ratio. */
	public enum Choice {

		/** The queued mode's figure is greater. */
		QUEUED,

		/** The sync mode's figure is greater. */
		SYNC,

		/** No difference is clear: there may be none, or the pairs are too few. */
		NEITHER

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
			double[] ratios = new double[sync.length];
			Arrays.setAll(ratios, (i) -> queued[i] / sync[i]);
			Arrays.sort(ratios);
			return new Ratio(PairedComparison.of(sync, queued), ratios[0], ratios[ratios.length - 1]);
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
				case SAME, INCONCLUSIVE -> Choice.NEITHER;
				case TOO_FEW_PAIRS -> shown();
			};
		}

		/** Whether there are enough pairs for the test. */
		private boolean tested() {
			return pairs() >= PairedComparison.MIN_PAIRS;
		}

		private Choice shown() {
			if (pairs() >= 2 && this.least > 1 + SHOWN_BY) {
				return Choice.QUEUED;
			}
			return (pairs() >= 2 && this.greatest < 1 / (1 + SHOWN_BY)) ? Choice.SYNC : Choice.NEITHER;
		}

	}

	/**
	 * Figures of one mode: medians of the cells.
	 *
	 * @param failedShare share of its calls that failed
	 * @param acceptedP50 time from the first try until accepted, in milliseconds; null if
	 * unknown
	 * @param savedP50 time from the first try until saved, in milliseconds; null if
	 * unknown
	 * @param marked whether one of its cells is unreliable
	 */
	public record ModeFigures(double savedPerSecond, double failedShare, @Nullable Double acceptedP50,
			@Nullable Double savedP50, boolean marked) {

		private static ModeFigures of(List<CellResult> cells) {
			return new ModeFigures(Objects.requireNonNullElse(Figures.median(cells, CellResult::savedPerSecond), 0.0),
					Curve.failedShare(cells), Figures.median(cells, (cell) -> p50(cell.toAccepted())),
					Figures.median(cells, (cell) -> p50(cell.toSaved())), cells.stream().anyMatch(Reliability::marked));
		}

	}

	/** The median is the only percentile that small cells also have. */
	private static @Nullable Double p50(@Nullable Wait wait) {
		return (wait != null) ? wait.p50() : null;
	}

	private record Key(String capacity, Load load) {
	}

	/** A variant in a repetition, in both modes. */
	private record Pair(CellResult sync, CellResult queued) {
	}

	/**
	 * The comparisons, by backend, slow ones first, and rising load. Loads that were run
	 * in only one mode are left out.
	 */
	public static List<ModeByLoad> of(RunResult run) {
		Map<Key, List<Pair>> pairs = new TreeMap<>(Comparator.comparing(Key::capacity, Coordinates.BACKENDS)
			.thenComparing((key) -> key.load().kind())
			.thenComparing((key) -> key.load().size()));
		for (CellResult sync : run.cells()) {
			if (measured(sync, Mode.SYNC)) {
				partner(run, sync).ifPresent((queued) -> pairs
					.computeIfAbsent(new Key(sync.cell().capacity(), sync.cell().load()), (_) -> new ArrayList<>())
					.add(new Pair(sync, queued)));
			}
		}
		return pairs.entrySet().stream().map((entry) -> of(entry.getKey(), entry.getValue())).toList();
	}

	private static ModeByLoad of(Key key, List<Pair> pairs) {
		return new ModeByLoad(key.capacity(), key.load(),
				Objects.requireNonNull(ratio(pairs, CellResult::savedPerSecond)),
				ratio(pairs, (cell) -> p50(cell.toAccepted())), ratio(pairs, (cell) -> p50(cell.toSaved())),
				ratio(pairs, Cost::systemCpuMillis), ModeFigures.of(pairs.stream().map(Pair::sync).toList()),
				ModeFigures.of(pairs.stream().map(Pair::queued).toList()));
	}

	/** Of the pairs that have the figure in both modes; null if none has. */
	private static @Nullable Ratio ratio(List<Pair> pairs, Function<CellResult, @Nullable Double> figure) {
		List<Pair> known = pairs.stream()
			.filter((pair) -> isKnown(figure.apply(pair.sync())) && isKnown(figure.apply(pair.queued())))
			.toList();
		return known.isEmpty() ? null
				: Ratio.of(figures(known, Pair::sync, figure), figures(known, Pair::queued, figure));
	}

	private static boolean isKnown(@Nullable Double figure) {
		return figure != null && figure > 0;
	}

	private static double[] figures(List<Pair> pairs, Function<Pair, CellResult> mode,
			Function<CellResult, @Nullable Double> figure) {
		return pairs.stream().map(mode).map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue).toArray();
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

	/**
	 * Whether more queued orders waited than there are clients: they waited behind those
	 * that the same clients had placed before.
	 */
	public boolean hasBacklog() {
		return this.load.kind() == Load.Kind.IN_FLIGHT && this.queued.savedP50() != null
				&& this.queued.savedPerSecond() * this.queued.savedP50() / 1_000 > 2 * this.load.size();
	}

	public boolean marked() {
		return this.sync.marked() || this.queued.marked();
	}

	/** Slow backends first: there a mode matters most. */
	public static Map<String, List<ModeByLoad>> byCapacity(List<ModeByLoad> loads) {
		return loads.stream()
			.collect(Collectors.groupingBy(ModeByLoad::capacity, LinkedHashMap::new, Collectors.toList()));
	}

}
