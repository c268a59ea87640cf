package dev.sluice.lab.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.measure.PairedComparison;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.CellResult.Latency;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * The two modes before one backend and under one load, over all comparisons that are
 * there. A pair is the same variant in the same repetition of the same run, once in each
 * mode.
 *
 * @param capacity of the backend
 * @param orders the load
 * @param ratio of the queued mode's orders saved per minute to the sync mode's
 * @param least of the pairs
 * @param greatest of the pairs
 */
record ModeByLoad(String capacity, int orders, PairedComparison ratio, double least, double greatest, ModeFigures sync,
		ModeFigures queued) {

	/** What can be said of a load. */
	enum Choice {

		/** More orders are saved by the queued mode. */
		QUEUED,

		/** More are saved by the sync mode. */
		SYNC,

		/** Neither saves more. */
		EITHER,

		/** There are too few pairs to say. */
		UNSAID

	}

	/**
	 * One of the modes.
	 *
	 * @param failedShare of its calls
	 * @param p99Millis of its answered calls, the median of the cells; null if none was
	 * answered
	 * @param marked whether one of its cells is unreliable
	 */
	record ModeFigures(double failedShare, @Nullable Double p99Millis, boolean marked) {

		private static ModeFigures of(List<CellResult> cells) {
			long calls = cells.stream().mapToLong(CellResult::calls).sum();
			long failed = cells.stream().mapToLong(CellResult::failedCalls).sum();
			return new ModeFigures((calls > 0) ? (double) failed / calls : 0,
					Figures.median(
							cells.stream().map(CellResult::latency).filter(Objects::nonNull).mapToDouble(Latency::p99)),
					cells.stream().anyMatch(Reliability::marked));
		}

	}

	private record Key(String capacity, int orders) {
	}

	private record Pair(CellResult sync, CellResult queued) {

		double ratio() {
			return this.queued.ordersPerMinute() / this.sync.ordersPerMinute();
		}

	}

	/** By backend and rising load; loads that were run in one mode alone are left out. */
	static List<ModeByLoad> of(List<RunResult> runs) {
		Map<Key, List<Pair>> pairs = new TreeMap<>(Comparator.comparing(Key::capacity).thenComparing(Key::orders));
		for (RunResult run : runs) {
			for (CellResult cell : run.cells()) {
				if (measured(cell, Mode.SYNC)) {
					partner(run, cell).ifPresent(
							(queued) -> pairs
								.computeIfAbsent(new Key(cell.cell().capacity(), cell.cell().orders()),
										(_) -> new ArrayList<>())
								.add(new Pair(cell, queued)));
				}
			}
		}
		return pairs.entrySet().stream().map((entry) -> of(entry.getKey(), entry.getValue())).toList();
	}

	private static ModeByLoad of(Key key, List<Pair> pairs) {
		double[] ratios = pairs.stream().mapToDouble(Pair::ratio).sorted().toArray();
		return new ModeByLoad(key.capacity(), key.orders(),
				PairedComparison.of(pairs.stream().mapToDouble((pair) -> pair.sync().ordersPerMinute()).toArray(),
						pairs.stream().mapToDouble((pair) -> pair.queued().ordersPerMinute()).toArray()),
				ratios[0], ratios[ratios.length - 1], ModeFigures.of(pairs.stream().map(Pair::sync).toList()),
				ModeFigures.of(pairs.stream().map(Pair::queued).toList()));
	}

	private static Optional<CellResult> partner(RunResult run, CellResult sync) {
		return run.cells()
			.stream()
			.filter((cell) -> measured(cell, Mode.QUEUED) && cell.cell().variant().equals(sync.cell().variant())
					&& cell.cell().capacity().equals(sync.cell().capacity())
					&& cell.cell().orders() == sync.cell().orders()
					&& cell.cell().repetition() == sync.cell().repetition())
			.findFirst();
	}

	private static boolean measured(CellResult cell, Mode mode) {
		return cell.cell().mode().equals(mode.label()) && cell.ordersPerMinute() > 0;
	}

	Choice choice() {
		return switch (this.ratio.verdict()) {
			case FASTER -> Choice.QUEUED;
			case SLOWER -> Choice.SYNC;
			case NO_DIFFERENCE -> Choice.EITHER;
			case TOO_FEW_PAIRS -> Choice.UNSAID;
		};
	}

	boolean marked() {
		return this.sync.marked() || this.queued.marked();
	}

	/** A sentence for each backend, of what its loads have in common. */
	static List<String> sentences(List<ModeByLoad> loads) {
		return loads.stream()
			.collect(Collectors.groupingBy(ModeByLoad::capacity, TreeMap::new, Collectors.toList()))
			.entrySet()
			.stream()
			.map((entry) -> "Backend %s: %s. %s".formatted(entry.getKey(),
					Stream.of(Choice.values())
						.map((choice) -> part(choice,
								entry.getValue().stream().filter((load) -> load.choice() == choice).toList()))
						.filter(Predicate.not(String::isEmpty))
						.collect(Collectors.joining("; ")),
					failures(entry.getValue())))
			.toList();
	}

	private static String part(Choice choice, List<ModeByLoad> loads) {
		if (loads.isEmpty()) {
			return "";
		}
		String at = "at N = " + orders(loads);
		return switch (choice) {
			case QUEUED -> "queued %s (it saved %s times as many orders a minute)".formatted(at, medians(loads));
			case SYNC -> "sync %s (queued saved %s times as many orders a minute)".formatted(at, medians(loads));
			case EITHER -> "no difference %s".formatted(at);
			case UNSAID ->
				"too few pairs to say %s (queued saved %s times as many orders a minute%s)"
					.formatted(at,
							range(loads.stream().mapToDouble(ModeByLoad::least).min().orElseThrow(),
									loads.stream().mapToDouble(ModeByLoad::greatest).max().orElseThrow()),
							sides(loads));
		};
	}

	/** Where all pairs of a load lie on one side, that is said, and no more. */
	private static String sides(List<ModeByLoad> loads) {
		List<String> sides = new ArrayList<>();
		List<ModeByLoad> more = loads.stream().filter((load) -> load.least() > 1).toList();
		List<ModeByLoad> fewer = loads.stream().filter((load) -> load.greatest() < 1).toList();
		if (!more.isEmpty()) {
			sides.add("more in every pair at N = " + orders(more));
		}
		if (!fewer.isEmpty()) {
			sides.add("fewer in every pair at N = " + orders(fewer));
		}
		return sides.stream().map((side) -> ", " + side).collect(Collectors.joining());
	}

	private static String orders(List<ModeByLoad> loads) {
		return String.join(", ",
				loads.stream().map((load) -> Reliability.sign(Figures.count(load.orders()), load.marked())).toList());
	}

	private static String medians(List<ModeByLoad> loads) {
		return range(loads.stream().mapToDouble((load) -> load.ratio().medianRatio()).min().orElseThrow(),
				loads.stream().mapToDouble((load) -> load.ratio().medianRatio()).max().orElseThrow());
	}

	private static String range(double least, double greatest) {
		String from = Figures.measured(least);
		String to = Figures.measured(greatest);
		return from.equals(to) ? from : "%s to %s".formatted(from, to);
	}

	private static String failures(List<ModeByLoad> loads) {
		return loads.stream().allMatch((load) -> load.sync.failedShare() == 0 && load.queued.failedShare() == 0)
				? "No call failed." : "Failed calls: %s.".formatted(
						Stream.of(Mode.values()).map((mode) -> worst(mode, loads)).collect(Collectors.joining(", ")));
	}

	private static String worst(Mode mode, List<ModeByLoad> loads) {
		ModeByLoad worst = loads.stream()
			.max(Comparator.comparingDouble((load) -> load.of(mode).failedShare()))
			.orElseThrow();
		double share = worst.of(mode).failedShare();
		return (share == 0) ? "none of the %s ones".formatted(mode.label()) : "up to %s of the %s ones (N = %s)"
			.formatted(Figures.percent(share), mode.label(), Figures.count(worst.orders()));
	}

	private ModeFigures of(Mode mode) {
		return switch (mode) {
			case SYNC -> this.sync;
			case QUEUED -> this.queued;
		};
	}

}
