package dev.sluice.lab.compare.figures;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.result.CausesResult.Cell;
import dev.sluice.lab.kit.result.CausesResult.FactorLevels;
import org.jspecify.annotations.Nullable;

/**
 * What each setting costs, and the conclusions by fixed rules, in sentences. The
 * reference's claim is that garbage collection makes the throughput collapse.
 */
public final class Collapse {

	/** A setting with less than this share of the base's rate has collapsed. */
	public static final double COLLAPSED_BELOW = 0.5;

	/**
	 * A collector that stops the gateway for less than this share of the time explains no
	 * collapse.
	 */
	public static final double LITTLE_PAUSE = 0.1;

	/** A ratio to the base's rate beyond this factor is an effect. */
	private static final double MIN_FACTOR = 1.25;

	private final CausesResult result;

	/** In the order of settings and loads. */
	private final List<Effect> effects;

	/**
	 * The cells of a setting at one load.
	 *
	 * @param perSecond orders answered per second, the median
	 * @param p99 99th percentile of the answered calls, in milliseconds, the median; null
	 * if no call was answered
	 * @param failedShare share of the calls that failed
	 * @param pauseShare share of the time in which the collector stopped the gateway;
	 * null if unknown
	 * @param attempts requests that the backend had for each order placed
	 * @param marked whether one of its cells is unreliable
	 */
	public record Effect(FactorLevels setting, int orders, double perSecond, @Nullable Double p99, double failedShare,
			@Nullable Double pauseShare, double attempts, boolean marked) {

		public String name() {
			return this.setting.name();
		}

		private boolean hasLittlePause() {
			return this.pauseShare != null && this.pauseShare < LITTLE_PAUSE;
		}

	}

	public Collapse(CausesResult result) {
		this.result = result;
		List<Integer> loads = List.copyOf(new TreeSet<>(result.cells().stream().map(Cell::orders).toList()));
		this.effects = result.settings()
			.stream()
			.flatMap((setting) -> loads.stream().flatMap((load) -> effect(setting, load).stream()))
			.toList();
	}

	private Optional<Effect> effect(FactorLevels setting, int orders) {
		List<Cell> cells = this.result.cells()
			.stream()
			.filter((cell) -> cell.setting().equals(setting.name()) && cell.orders() == orders)
			.toList();
		if (cells.isEmpty()) {
			return Optional.empty();
		}
		double calls = sum(cells, Cell::calls);
		return Optional.of(new Effect(setting, orders, Objects.requireNonNullElse(median(cells, Cell::perSecond), 0.0),
				median(cells, (cell) -> (cell.latency() != null) ? cell.latency().p99() : null),
				(calls > 0) ? sum(cells, (cell) -> cell.calls() - cell.answered()) / calls : 0,
				CausesResult.pauseShare(cells), sum(cells, Cell::received) / sum(cells, Cell::orders),
				cells.stream().anyMatch(Collapse::marked)));
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

	/** Effects at the high load, the highest rate first. */
	public List<Effect> atMany() {
		return this.effects.stream()
			.filter((effect) -> effect.orders() == this.result.many())
			.sorted(Comparator.comparingDouble(Effect::perSecond).reversed())
			.toList();
	}

	public Optional<Effect> at(String name, int orders) {
		return this.effects.stream()
			.filter((effect) -> effect.name().equals(name) && effect.orders() == orders)
			.findFirst();
	}

	/**
	 * The setting's rate as a share of the base's at the same load; null without a base.
	 */
	public @Nullable Double left(Effect effect) {
		return at(CausesResult.BASE, effect.orders()).filter((base) -> base.perSecond() > 0)
			.map((base) -> effect.perSecond() / base.perSecond())
			.orElse(null);
	}

	private double leftOrAll(Effect effect) {
		return Objects.requireNonNullElse(left(effect), 1.0);
	}

	/** The setting's rate at the high load as a multiple of its rate at the low one. */
	public @Nullable Double growth(Effect many) {
		return at(many.name(), this.result.few()).filter((few) -> few.perSecond() > 0)
			.map((few) -> many.perSecond() / few.perSecond())
			.orElse(null);
	}

	/**
	 * The base's own variation at the high load: the rate of its fastest start divided by
	 * that of its slowest. 1 if there was only one.
	 */
	private double noise() {
		double[] rates = this.result.cells()
			.stream()
			.filter((cell) -> cell.setting().equals(CausesResult.BASE) && cell.orders() == this.result.many())
			.collect(Collectors.groupingBy(Cell::repetition))
			.values()
			.stream()
			.mapToDouble((cells) -> Objects.requireNonNullElse(median(cells, Cell::perSecond), 0.0))
			.filter((rate) -> rate > 0)
			.sorted()
			.toArray();
		return (rates.length > 1) ? rates[rates.length - 1] / rates[0] : 1;
	}

	/** Least ratio of two rates that is more than noise. */
	public double threshold() {
		return Math.max(MIN_FACTOR, noise() * noise());
	}

	/**
	 * The main conclusion. Collection alone is the cause if heap or collector alone made
	 * a setting collapse and its pauses account for half of the loss. It is not if every
	 * setting that collapsed has few pauses, or contains one that has, and no setting of
	 * heap or collector collapsed or is missing.
	 */
	public String answer() {
		List<Effect> collapsed = atMany().stream().filter(this::hasCollapsed).toList();
		List<Effect> memory = memory();
		String hardest = memory.stream()
			.min(Comparator.comparingDouble(this::leftOrAll))
			.map((effect) -> "Hardest on the collector, %s at N = %s kept %s of the base's rate, stopped for %s of the time"
				.formatted(effect.name(), Figures.count(effect.orders()), Figures.percent(left(effect)),
						Figures.percent(effect.pauseShare())))
			.orElse("No setting varied heap or collector alone");
		if (memory.stream().anyMatch(this::explainsACollapse)) {
			return "Garbage collection alone can make the throughput collapse: the reference's claim is reproduced. %s."
				.formatted(hardest);
		}
		String names = collapsed.isEmpty() ? "no setting lost half of the base's rate"
				: "half of the base's rate or more was lost by " + collapsed.stream()
					.map((effect) -> "%s, stopped for %s of the time".formatted(effect.name(),
							Figures.percent(effect.pauseShare())))
					.collect(Collectors.joining("; "));
		boolean refuted = !collapsed.isEmpty() && !memory.isEmpty() && memoryNotMeasured().isEmpty()
				&& collapsed.stream().allMatch((effect) -> isWithoutCollector(effect, collapsed))
				&& memory.stream().noneMatch(this::hasCollapsed);
		return refuted
				? "Garbage collection is not what makes the throughput collapse here: the reference's claim is refuted. What collapsed did so without it: %s. %s."
					.formatted(names, hardest)
				: "These figures neither reproduce nor refute that garbage collection is the cause: %s. %s."
					.formatted(names, hardest);
	}

	/** Further conclusions. */
	public List<String> sentences() {
		List<String> sentences = new ArrayList<>();
		at(CausesResult.BASE, this.result.many()).ifPresent((base) -> sentences.add(base(base)));
		if (!memoryNotMeasured().isEmpty()) {
			sentences.add("Not measured, so their effect is unknown: %s. The beginning of this page says why."
				.formatted(String.join(", ", memoryNotMeasured())));
		}
		List<String> worse = atMany().reversed()
			.stream()
			.filter((effect) -> effect.setting().changes().size() == 1 && leftOrAll(effect) * threshold() < 1)
			.map((effect) -> "%s, %s of the rate".formatted(effect.name(), Figures.percent(1 - leftOrAll(effect))))
			.toList();
		sentences.add(worse.isEmpty() ? "No factor alone costs more than the noise."
				: "Alone, these cost most: %s.".formatted(String.join("; ", worse)));
		return sentences;
	}

	private String base(Effect base) {
		double noise = noise();
		return "The base takes %s orders per second at N = %s (%s)%s.".formatted(Figures.measured(base.perSecond()),
				Figures.count(base.orders()),
				"nothing in the way: no limit at the backend, enough threads and heap, nobody gives up, connections kept",
				(noise > 1)
						? "; from one start to another it differed by up to %s".formatted(Figures.percent(noise - 1))
						: "");
	}

	/**
	 * Effects of settings that change heap or collector, at each load from the high one
	 * on.
	 */
	private List<Effect> memory() {
		return this.effects.stream()
			.filter((effect) -> effect.setting().memory() && !effect.name().equals(CausesResult.BASE)
					&& effect.orders() >= this.result.many() && left(effect) != null)
			.toList();
	}

	/**
	 * Memory settings without figures, for instance because the gateway ran out of it.
	 * One of them may be the worst for the collector.
	 */
	private List<String> memoryNotMeasured() {
		return this.result.settings()
			.stream()
			.filter((setting) -> setting.memory() && at(setting.name(), this.result.many()).isEmpty())
			.map(FactorLevels::name)
			.toList();
	}

	/**
	 * Whether the setting, or a collapsed setting whose changes it contains, collapsed
	 * with few pauses. The changes that it adds to such a setting did not cause the
	 * collapse.
	 */
	private static boolean isWithoutCollector(Effect effect, List<Effect> collapsed) {
		return collapsed.stream()
			.anyMatch((part) -> part.hasLittlePause()
					&& effect.setting().changes().entrySet().containsAll(part.setting().changes().entrySet()));
	}

	private boolean hasCollapsed(Effect effect) {
		return leftOrAll(effect) < COLLAPSED_BELOW;
	}

	/** Whether the setting collapsed and pauses account for at least half of its loss. */
	private boolean explainsACollapse(Effect effect) {
		Double pause = effect.pauseShare();
		return hasCollapsed(effect) && pause != null && pause >= (1 - leftOrAll(effect)) / 2;
	}

}
