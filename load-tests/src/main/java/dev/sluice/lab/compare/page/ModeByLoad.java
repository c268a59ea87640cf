package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.page.CellGroup.Pair;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.RunResult;
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
		@Nullable Ratio cost, CellGroup sync, CellGroup queued) {

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

		/**
		 * The mode whose figure is greater; null if no difference is clear: there may be
		 * none, or the pairs are too few.
		 */
		public @Nullable Mode greater() {
			return switch (this.comparison.verdict()) {
				case FASTER -> Mode.QUEUED;
				case SLOWER -> Mode.SYNC;
				case SAME, INCONCLUSIVE -> null;
				case TOO_FEW_PAIRS -> shown();
			};
		}

		/** Whether there are enough pairs for the test. */
		private boolean tested() {
			return pairs() >= PairedComparison.MIN_PAIRS;
		}

		private @Nullable Mode shown() {
			if (pairs() >= 2 && this.least > 1 + SHOWN_BY) {
				return Mode.QUEUED;
			}
			return (pairs() >= 2 && this.greatest < 1 / (1 + SHOWN_BY)) ? Mode.SYNC : null;
		}

	}

	/**
	 * The comparisons, by backend, slow ones first, and rising load. Loads that were run
	 * in only one mode are left out.
	 */
	public static List<ModeByLoad> of(RunResult run) {
		List<ModeByLoad> loads = new ArrayList<>();
		CellGroup.by(CellGroup::capacity, CellGroup.of(run))
			.forEach((capacity, backend) -> new TreeMap<>(CellGroup.by(CellGroup::load, backend))
				.forEach((load, groups) -> {
					List<Pair> pairs = groups.stream()
						.filter((sync) -> sync.mode().equals(CellGroup.SYNC))
						.flatMap((sync) -> groups.stream()
							.filter((queued) -> queued.mode().equals(CellGroup.QUEUED)
									&& queued.variant().equals(sync.variant()))
							.flatMap((queued) -> sync.pairs(queued).stream()))
						.toList();
					if (!pairs.isEmpty()) {
						loads.add(of(capacity, load, pairs));
					}
				}));
		return loads;
	}

	private static ModeByLoad of(String capacity, Load load, List<Pair> pairs) {
		return new ModeByLoad(capacity, load, Objects.requireNonNull(ratio(pairs, CellResult::savedPerSecond)),
				ratio(pairs, CellResult::acceptedP50), ratio(pairs, CellResult::savedP50),
				ratio(pairs, Cost::systemCpuMillisOf), new CellGroup(pairs.stream().map(Pair::first).toList()),
				new CellGroup(pairs.stream().map(Pair::second).toList()));
	}

	/** Of the pairs that have the figure in both modes; null if none has. */
	private static @Nullable Ratio ratio(List<Pair> pairs, Function<CellResult, @Nullable Double> figure) {
		List<Pair> known = pairs.stream()
			.filter((pair) -> isKnown(figure.apply(pair.first())) && isKnown(figure.apply(pair.second())))
			.toList();
		return known.isEmpty() ? null
				: Ratio.of(figures(known, Pair::first, figure), figures(known, Pair::second, figure));
	}

	private static boolean isKnown(@Nullable Double figure) {
		return figure != null && figure > 0;
	}

	static double[] figures(List<Pair> pairs, Function<Pair, CellResult> mode,
			Function<CellResult, @Nullable Double> figure) {
		return pairs.stream().map(mode).map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue).toArray();
	}

	/**
	 * Whether more queued orders waited than there are clients: they waited behind those
	 * that the same clients had placed before.
	 */
	public boolean hasBacklog() {
		Double perSecond = this.queued.median(CellResult::savedPerSecond);
		Double millis = this.queued.median(CellResult::savedP50);
		return this.load.kind() == Load.Kind.IN_FLIGHT && perSecond != null && millis != null
				&& perSecond * millis / 1_000 > 2 * this.load.size();
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
