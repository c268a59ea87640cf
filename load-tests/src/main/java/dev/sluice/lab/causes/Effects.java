package dev.sluice.lab.causes;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.statistics.PairedComparison;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.result.CausesResult.FactorLevels;
import dev.sluice.lab.kit.result.CausesResult.Share;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import org.jspecify.annotations.Nullable;

/** Combines each setting's cells and compares them with the base. */
record Effects(CausesResult result) {

	/**
	 * A single measurement shows an effect if its ratio to the base's rate exceeds this
	 * factor or is below the inverse.
	 */
	private static final double MIN_FACTOR = 1.25;

	/**
	 * Multiple of the base's own variation, on a logarithmic scale, beyond which a factor
	 * is distinguished from noise.
	 */
	private static final double NOISE_FACTOR = 2;

	/**
	 * A setting at one load.
	 *
	 * @param perSecond orders answered per second, the median
	 * @param p99 99th percentile of the answered calls, in milliseconds, the median; null
	 * if no call was answered
	 * @param together mean latency as a share of the cell's time, the median: 1 if all
	 * orders are answered at the end, 0.5 if they are answered one after another
	 * @param failedShare share of the calls that failed
	 * @param pauseShare share of the time in which the collector stopped the gateway;
	 * null if unknown
	 * @param attempts requests that the backend had for each order placed
	 * @param marked whether one of its cells is unreliable
	 */
	record Effect(FactorLevels setting, int orders, double perSecond, @Nullable Double p99, @Nullable Double together,
			double failedShare, @Nullable Double pauseShare, double attempts, boolean marked, List<Cell> cells) {

		String name() {
			return this.setting.name();
		}

		@Nullable Double perOrder(Function<ServiceCost, ? extends @Nullable Number> figure) {
			double sum = 0;
			long orders = 0;
			for (Cell cell : this.cells) {
				Number value = figure.apply(cell.gateway());
				if (value != null) {
					sum += value.doubleValue() * cell.answered();
					orders += cell.answered();
				}
			}
			return (orders > 0) ? sum / orders : null;
		}

		@Nullable Double most(Function<ServiceCost, ? extends @Nullable Number> figure) {
			Double most = null;
			for (Cell cell : this.cells) {
				Number value = figure.apply(cell.gateway());
				if (value != null && (most == null || value.doubleValue() > most)) {
					most = value.doubleValue();
				}
			}
			return most;
		}

		/** Threads by state: the mean over the cells that were sampled. */
		Map<String, Double> threads() {
			return this.cells.stream()
				.flatMap((cell) -> cell.threads().entrySet().stream())
				.collect(Collectors.groupingBy(Map.Entry::getKey, TreeMap::new,
						Collectors.averagingDouble(Map.Entry::getValue)));
		}

	}

	/** Effects at the high load, the highest rate first. */
	List<Effect> atMany() {
		return this.result.settings()
			.stream()
			.flatMap((setting) -> at(setting.name(), this.result.many()).stream())
			.sorted(Comparator.comparingDouble(Effect::perSecond).reversed())
			.toList();
	}

	Optional<Effect> base() {
		return at(CausesResult.BASE, this.result.many());
	}

	List<Integer> loads() {
		return List.copyOf(new TreeSet<>(this.result.cells().stream().map(Cell::orders).toList()));
	}

	Optional<Effect> at(String name, int orders) {
		List<Cell> cells = this.result.cells()
			.stream()
			.filter((cell) -> cell.setting().equals(name) && cell.orders() == orders)
			.toList();
		return this.result.settings()
			.stream()
			.filter((setting) -> setting.name().equals(name) && !cells.isEmpty())
			.findFirst()
			.map((setting) -> effect(setting, orders, cells));
	}

	private static Effect effect(FactorLevels setting, int orders, List<Cell> cells) {
		double calls = sum(cells, Cell::calls);
		double failed = sum(cells, (cell) -> cell.calls() - cell.answered());
		return new Effect(setting, orders, Objects.requireNonNullElse(median(cells, Cell::perSecond), 0.0),
				median(cells, (cell) -> (cell.latency() != null) ? cell.latency().p99() : null),
				median(cells, Effects::together), (calls > 0) ? failed / calls : 0, CausesResult.pauseShare(cells),
				sum(cells, Cell::received) / sum(cells, Cell::orders), cells.stream().anyMatch(Effects::marked), cells);
	}

	private static @Nullable Double together(Cell cell) {
		return (cell.latency() != null && cell.seconds() > 0) ? cell.latency().mean() / 1_000 / cell.seconds() : null;
	}

	private static double sum(List<Cell> cells, ToDoubleFunction<Cell> figure) {
		return cells.stream().mapToDouble(figure).sum();
	}

	private static @Nullable Double median(List<Cell> cells, Function<Cell, @Nullable Double> figure) {
		return Figures.median(cells.stream().map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
	}

	static boolean marked(Cell cell) {
		return cell.problem() != null || Reliability.disturbed(cell.foreignCpuShare());
	}

	/**
	 * The setting's rate as a share of the base's at the same load; null without a base.
	 */
	@Nullable Double left(Effect effect) {
		return at(CausesResult.BASE, effect.orders()).filter((base) -> base.perSecond() > 0)
			.map((base) -> effect.perSecond() / base.perSecond())
			.orElse(null);
	}

	/**
	 * The setting's rate at the high load as a multiple of its rate at the low one; null
	 * if unknown.
	 */
	@Nullable Double growth(String name) {
		Optional<Effect> few = at(name, this.result.few()).filter((effect) -> effect.perSecond() > 0);
		Optional<Effect> many = at(name, this.result.many());
		return (few.isPresent() && many.isPresent()) ? many.get().perSecond() / few.get().perSecond() : null;
	}

	/**
	 * Compares the setting with the base, repetition by repetition; empty without a pair.
	 */
	Optional<PairedComparison> paired(Effect effect) {
		Map<Integer, Double> base = byRepetition(CausesResult.BASE, effect.orders());
		Map<Integer, Double> own = byRepetition(effect.name(), effect.orders());
		List<Integer> both = own.keySet()
			.stream()
			.filter((repetition) -> base.getOrDefault(repetition, 0.0) > 0 && own.getOrDefault(repetition, 0.0) > 0)
			.toList();
		return both.isEmpty() ? Optional.empty()
				: Optional.of(PairedComparison.of(rates(base, both), rates(own, both)));
	}

	private static double[] rates(Map<Integer, Double> byRepetition, List<Integer> repetitions) {
		return repetitions.stream().mapToDouble((repetition) -> byRepetition.getOrDefault(repetition, 0.0)).toArray();
	}

	private Map<Integer, Double> byRepetition(String name, int orders) {
		Map<Integer, List<Cell>> cells = this.result.cells()
			.stream()
			.filter((cell) -> cell.setting().equals(name) && cell.orders() == orders)
			.collect(Collectors.groupingBy(Cell::repetition, TreeMap::new, Collectors.toList()));
		Map<Integer, Double> rates = new TreeMap<>();
		cells.forEach((repetition, own) -> rates.put(repetition,
				Objects.requireNonNullElse(median(own, Cell::perSecond), 0.0)));
		return rates;
	}

	/**
	 * The base's own variation at the high load: the rate of its fastest start divided by
	 * that of its slowest. 1 if there was only one.
	 */
	double noise() {
		double[] rates = byRepetition(CausesResult.BASE, this.result.many()).values()
			.stream()
			.mapToDouble(Double::doubleValue)
			.filter((rate) -> rate > 0)
			.sorted()
			.toArray();
		return (rates.length > 1) ? rates[rates.length - 1] / rates[0] : 1;
	}

	/**
	 * Whether the setting differs from the base. The interval decides if there are enough
	 * pairs; otherwise the ratio must exceed {@link #MIN_FACTOR} and the square of
	 * {@link #noise()}.
	 */
	boolean differs(Effect effect) {
		Optional<PairedComparison> paired = paired(effect);
		if (paired.isPresent() && paired.get().pairs() >= PairedComparison.MIN_PAIRS) {
			return switch (paired.get().verdict()) {
				case FASTER, SLOWER -> true;
				case SAME, INCONCLUSIVE, TOO_FEW_PAIRS -> false;
			};
		}
		Double left = left(effect);
		return left != null && (left == 0 || Math.abs(Math.log(left)) > threshold());
	}

	/**
	 * Least logarithm of a ratio that counts as a difference when there are too few pairs
	 * for an interval.
	 */
	double threshold() {
		return Math.max(Math.log(MIN_FACTOR), NOISE_FACTOR * Math.log(noise()));
	}

	/**
	 * A factor's share of the loss of all factors together, on a logarithmic scale, so
	 * that losses that multiply add up.
	 *
	 * @param factor its name
	 * @param alone share that the factor loses on its own; null if not measured
	 * @param last share that it loses when added to all others; null if not measured
	 */
	record Portion(String factor, @Nullable Double alone, @Nullable Double last) {
	}

	List<Portion> portions() {
		Optional<Effect> base = base();
		Optional<Effect> all = at(this.result.all(), this.result.many());
		if (base.isEmpty() || all.isEmpty() || !(all.get().perSecond() > 0)
				|| !(all.get().perSecond() < base.get().perSecond())) {
			return List.of();
		}
		double whole = Math.log(base.get().perSecond() / all.get().perSecond());
		List<Portion> portions = new ArrayList<>();
		for (Share share : this.result.shares()) {
			Double alone = at(share.alone(), this.result.many()).filter((one) -> one.perSecond() > 0)
				.map((one) -> Math.log(base.get().perSecond() / one.perSecond()) / whole)
				.orElse(null);
			Double last = at(share.allButIt(), this.result.many()).filter((but) -> but.perSecond() > 0)
				.map((but) -> Math.log(but.perSecond() / all.get().perSecond()) / whole)
				.orElse(null);
			portions.add(new Portion(share.factor(), alone, last));
		}
		return portions;
	}

	/** Every state that a thread was seen in. */
	List<String> states() {
		return List.copyOf(this.result.cells()
			.stream()
			.flatMap((cell) -> cell.threads().keySet().stream())
			.collect(Collectors.toCollection(TreeSet::new)));
	}

	static double most(List<@Nullable Double> values) {
		return Arrays.stream(values.toArray(new @Nullable Double[0]))
			.filter(Objects::nonNull)
			.mapToDouble(Double::doubleValue)
			.max()
			.orElse(0);
	}

}
