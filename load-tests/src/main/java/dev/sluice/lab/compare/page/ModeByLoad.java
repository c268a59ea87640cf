package dev.sluice.lab.compare.page;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.page.CellGroup.Pair;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * Compares the two modes before one backend and under one load. A pair is a variant in a
 * repetition, once in each mode. The plan draws for each pair which of its cells comes
 * first. If the mode made no difference, each pair would be equally likely the other way
 * round, whatever the machine did to several of them. The test of
 * {@link PairedComparison} needs nothing else, so each pair of a repetition counts.
 *
 * @param pairs a cell of the sync mode and one of the queued mode, at least one pair
 */
public record ModeByLoad(List<Pair> pairs) {

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

	/** What is compared at each load, in the order of its importance. */
	enum Measure {

		SAVED("until saved, sooner", true, CellResult::savedP50),

		ANSWERED("until answered, sooner", true, CellResult::acceptedP50),

		RATE("more saved per second", false, CellResult::savedPerSecond),

		COST("less CPU for an order", true, Cost::systemCpuMillisOf);

		final String words;

		final boolean lessIsBetter;

		final Function<CellResult, @Nullable Double> figure;

		Measure(String words, boolean lessIsBetter, Function<CellResult, @Nullable Double> figure) {
			this.words = words;
			this.lessIsBetter = lessIsBetter;
			this.figure = figure;
		}

		/** The queued mode's figures with the sync mode's; null if unknown. */
		@Nullable PairedComparison of(ModeByLoad load) {
			return CellGroup.compare(load.pairs(), this.figure);
		}

		/**
		 * The better mode; empty if no difference is clear: there may be none, or the
		 * pairs are too few.
		 */
		String better(ModeByLoad load) {
			PairedComparison known = of(load);
			if (known == null || known.pairs() < 2) {
				return "";
			}
			double clear = (known.pairs() < PairedComparison.MIN_PAIRS) ? 1 + SHOWN_BY : 1;
			if (known.low() > clear) {
				return this.lessIsBetter ? CellGroup.SYNC : CellGroup.QUEUED;
			}
			return (known.high() >= 1 / clear) ? "" : this.lessIsBetter ? CellGroup.QUEUED : CellGroup.SYNC;
		}

	}

	public ModeByLoad {
		pairs = List.copyOf(pairs);
	}

	/**
	 * The comparisons, by backend, slow ones first, and rising load. Loads that were run
	 * in only one mode are left out.
	 */
	public static List<ModeByLoad> of(RunResult run) {
		return CellGroup.by(CellGroup::capacity, CellGroup.of(run))
			.values()
			.stream()
			.flatMap((backend) -> new TreeMap<>(CellGroup.by(CellGroup::load, backend)).values().stream())
			.map(ModeByLoad::pairs)
			.filter(Predicate.not(List::isEmpty))
			.map(ModeByLoad::new)
			.toList();
	}

	private static List<Pair> pairs(List<CellGroup> groups) {
		return groups.stream()
			.filter((sync) -> sync.mode().equals(CellGroup.SYNC))
			.flatMap((sync) -> groups.stream()
				.filter((queued) -> queued.mode().equals(CellGroup.QUEUED) && queued.variant().equals(sync.variant()))
				.flatMap((queued) -> sync.pairs(queued).stream()))
			.toList();
	}

	public CellGroup sync() {
		return new CellGroup(this.pairs.stream().map(Pair::first).toList());
	}

	public CellGroup queued() {
		return new CellGroup(this.pairs.stream().map(Pair::second).toList());
	}

	public String capacity() {
		return sync().capacity();
	}

	public Load load() {
		return sync().load();
	}

	/** Of the orders saved per second, which every pair has. */
	PairedComparison rate() {
		return Objects.requireNonNull(Measure.RATE.of(this));
	}

	/**
	 * Whether more queued orders waited than there are clients: they waited behind those
	 * that the same clients had placed before.
	 */
	public boolean hasBacklog() {
		Double perSecond = queued().median(CellResult::savedPerSecond);
		Double millis = queued().median(CellResult::savedP50);
		return load().kind() == Load.Kind.IN_FLIGHT && perSecond != null && millis != null
				&& perSecond * millis / 1_000 > 2 * load().size();
	}

	public boolean marked() {
		return sync().marked() || queued().marked();
	}

	/** Slow backends first: there a mode matters most. */
	public static Map<String, List<ModeByLoad>> byCapacity(List<ModeByLoad> loads) {
		return loads.stream()
			.collect(Collectors.groupingBy(ModeByLoad::capacity, LinkedHashMap::new, Collectors.toList()));
	}

}
