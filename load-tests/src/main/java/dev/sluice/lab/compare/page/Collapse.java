package dev.sluice.lab.compare.page;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.ServiceCost;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What each setting costs, and the conclusions by fixed rules, in sentences. The
 * reference's claim is that garbage collection makes the throughput collapse.
 */
public final class Collapse {

	/** The experiment's name in results, its command. */
	public static final String NAME = "compare --causes";

	/** Orders of the load at which the reference's rate was still high. */
	public static final int FEW = 100;

	/** Orders of the load at which the reference's rate had collapsed. */
	public static final int MANY = 1_000;

	/**
	 * Repetitions with one start of the gateway. Cells of a fast backend last only about
	 * a second and so vary.
	 */
	public static final int TRIALS = 3;

	/** A setting with less than this share of the base's rate has collapsed. */
	public static final double COLLAPSED_BELOW = 0.5;

	/**
	 * A collector that stops the gateway for less than this share of the time explains no
	 * collapse.
	 */
	public static final double LITTLE_PAUSE = 0.1;

	/**
	 * A treatment of the experiment: the base, in which nothing limits the rate, or what
	 * differs from it, at a level that fits the reference's figures or is the worst.
	 */
	public enum Setting {

		BASE("base"),

		/** As many as the reference's 51 orders per second keep busy, at 50 ms each. */
		BACKEND_THREADS("backend 3 threads"),

		/** Of 1,000: as many as orders in flight, so that none waits for a thread. */
		GATEWAY_THREADS("gateway 14 threads"),

		/**
		 * With 160 MiB, the gateway runs out of memory with 1,000 requests in flight
		 * before its collector slows it.
		 */
		HEAP("192 MiB"),

		COLLECTOR("Serial"),

		/** Three tries: the default of the reference's resilience handler. */
		RETRIES("gateway tries 3 times 10 s"),

		/** From client to gateway, and from gateway to backend. */
		CONNECTIONS("new connections"),

		/**
		 * All but the gateway's threads: 14 would keep the others' load away from gateway
		 * and backend, and the reference's gateway does not block its threads.
		 */
		ALL("all together");

		private final String label;

		Setting(String label) {
			this.label = label;
		}

		/**
		 * The change in a few words: the variant of its cells, and part of file names.
		 */
		public String label() {
			return this.label;
		}

		/** Whether it changes all that the other one does. */
		public boolean has(Setting other) {
			return this == other || other == BASE || (this == ALL && other != GATEWAY_THREADS);
		}

		/** Whether it differs from the base at most in heap and collector. */
		public boolean concernsMemoryAlone() {
			return this == BASE || this == HEAP || this == COLLECTOR;
		}

	}

	/** In the order of settings and loads. */
	private final List<Effect> effects;

	/**
	 * The cells of a setting at one load. Rate and p99 are medians.
	 *
	 * @param base the base's rate at the same load; null if it was not measured
	 * @param few the setting's rate at the low load; null if it was not measured
	 */
	public record Effect(Setting setting, CellGroup cells, @Nullable Double base, @Nullable Double few) {

		public String name() {
			return this.setting.label();
		}

		public int orders() {
			return this.cells.size();
		}

		/** Orders answered per second. */
		public double perSecond() {
			return Collapse.perSecond(this.cells);
		}

		/** The rate as a share of the base's; null without a base. */
		public @Nullable Double left() {
			return (this.base != null && this.base > 0) ? perSecond() / this.base : null;
		}

		/** The rate as a multiple of that at the low load. */
		public @Nullable Double growth() {
			return (this.few != null && this.few > 0) ? perSecond() / this.few : null;
		}

		private boolean hasCollapsed() {
			Double left = left();
			return left != null && left < COLLAPSED_BELOW;
		}

		/** Whether it collapsed and pauses account for at least half of its loss. */
		private boolean explainsACollapse() {
			Double left = left();
			Double pause = pauseShare();
			return left != null && left < COLLAPSED_BELOW && pause != null && pause >= (1 - left) / 2;
		}

		/** Whether one of its cells is unreliable, or left orders unanswered. */
		public boolean marked() {
			return this.cells.marked() || !this.cells.cells().stream().allMatch(Collapse::isWhole);
		}

		/**
		 * Share of the total time of its cells for which the collector stopped the
		 * gateway. They are taken together, because a cell of a second may have no pause.
		 * Null if one is unknown.
		 */
		public @Nullable Double pauseShare() {
			double paused = 0;
			double seconds = 0;
			for (CellResult cell : this.cells.cells()) {
				ServiceCost gateway = cell.services().get(Cost.GATEWAY);
				if (gateway == null || gateway.gcPauseMillis() == null) {
					return null;
				}
				paused += gateway.gcPauseMillis() / 1_000;
				seconds += seconds(cell);
			}
			return (seconds > 0) ? Double.valueOf(paused / seconds) : null;
		}

		private boolean hasLittlePause() {
			Double share = pauseShare();
			return share != null && share < LITTLE_PAUSE;
		}

	}

	public Collapse(RunResult run) {
		List<CellGroup> groups = CellGroup.of(run);
		this.effects = Stream.of(Setting.values())
			.flatMap((setting) -> groups.stream()
				.filter((group) -> group.variant().equals(setting.label()))
				.map((group) -> new Effect(setting, group, perSecond(groups, Setting.BASE, group.size()),
						perSecond(groups, setting, FEW))))
			.toList();
	}

	private static @Nullable Double perSecond(List<CellGroup> groups, Setting setting, int orders) {
		return groups.stream()
			.filter((group) -> group.variant().equals(setting.label()) && group.size() == orders)
			.map(Collapse::perSecond)
			.findFirst()
			.orElse(null);
	}

	private static double perSecond(CellGroup cells) {
		return Objects.requireNonNullElse(cells.median(Collapse::rate), 0.0);
	}

	/**
	 * Until the last order was answered, not until it was saved: one that a slow backend
	 * saves after its client has given up is of no use to that client.
	 */
	private static double rate(CellResult cell) {
		return isWhole(cell) ? cell.acceptedPerSecond() : (seconds(cell) > 0) ? cell.accepted() / seconds(cell) : 0;
	}

	/** Whether all orders were answered before the cell's time was over. */
	private static boolean isWhole(CellResult cell) {
		return cell.accepted() >= cell.cell().load().size();
	}

	private static double seconds(CellResult cell) {
		return Duration.between(cell.start(), cell.end()).toNanos() / 1e9;
	}

	/** Effects at the high load, the highest rate first. */
	public List<Effect> atMany() {
		return this.effects.stream()
			.filter((effect) -> effect.orders() == MANY)
			.sorted(Comparator.comparingDouble(Effect::perSecond).reversed())
			.toList();
	}

	/**
	 * The main conclusion. Collection alone is the cause if heap or collector alone made
	 * a setting collapse and its pauses account for half of the loss. It is not if every
	 * setting that collapsed has few pauses, or contains one that has, and no setting of
	 * heap or collector collapsed or is missing.
	 */
	public String answer() {
		List<Effect> collapsed = atMany().stream().filter(Effect::hasCollapsed).toList();
		List<Effect> memory = memory();
		String hardest = memory.stream()
			.min(Comparator.comparingDouble((effect) -> Objects.requireNonNullElse(effect.left(), 1.0)))
			.map((effect) -> "Hardest on the collector, %s at N = %s kept %s of the base's rate, stopped for %s of the time"
				.formatted(effect.name(), Figures.count(effect.orders()), Figures.percent(effect.left()),
						Figures.percent(effect.pauseShare())))
			.orElse("No setting varied heap or collector alone");
		if (memory.stream().anyMatch(Effect::explainsACollapse)) {
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
				&& memory.stream().noneMatch(Effect::hasCollapsed);
		return refuted
				? "Garbage collection is not what makes the throughput collapse here: the reference's claim is refuted. What collapsed did so without it: %s. %s."
					.formatted(names, hardest)
				: "These figures neither reproduce nor refute that garbage collection is the cause: %s. %s.%s"
					.formatted(names, hardest, memoryNotMeasured().isEmpty() ? ""
							: " Not measured: %s.".formatted(String.join(", ", memoryNotMeasured())));
	}

	/**
	 * Effects of settings that change heap or collector, at each load from the high one
	 * on.
	 */
	private List<Effect> memory() {
		return this.effects.stream()
			.filter((effect) -> effect.setting().concernsMemoryAlone() && effect.setting() != Setting.BASE
					&& effect.orders() >= MANY && effect.left() != null)
			.toList();
	}

	/**
	 * Memory settings without figures, for instance because the gateway ran out of it.
	 * One of them may be the worst for the collector.
	 */
	private List<String> memoryNotMeasured() {
		return Stream.of(Setting.values())
			.filter((setting) -> setting.concernsMemoryAlone()
					&& atMany().stream().noneMatch((effect) -> effect.setting() == setting))
			.map(Setting::label)
			.toList();
	}

	/**
	 * Whether the setting, or a collapsed setting whose changes it contains, collapsed
	 * with few pauses. The changes that it adds to such a setting did not cause the
	 * collapse.
	 */
	private static boolean isWithoutCollector(Effect effect, List<Effect> collapsed) {
		return collapsed.stream().anyMatch((part) -> part.hasLittlePause() && effect.setting().has(part.setting()));
	}

	/**
	 * What the report shows before all cells: the conclusions, the rate of each setting
	 * next to its pauses, and the limits of what they show.
	 */
	static Section section(RunResult run) {
		Collapse collapse = new Collapse(run);
		Section section = new Section("answer", "What makes synchronous throughput collapse?");
		List<Effect> all = collapse.atMany();
		section.answers(List.of(all.isEmpty() ? "No cell was measured." : collapse.answer())).shown(settings(collapse));
		if (all.isEmpty()) {
			return section;
		}
		section.charts(List.of(
				Chart.Stack.of("Orders answered per second, " + Load.Kind.BURST.text(MANY), "orders per second", all,
						Effect::name, Effect::marked, Effect::perSecond),
				Chart.Stack.of("Stopped by the gateway's collector, % of the time", "% of the time", all, Effect::name,
						Effect::marked, (effect) -> (effect.pauseShare() != null) ? effect.pauseShare() * 100 : null)));
		section.note(
				"A loss is the share of the base's rate at the same N that is missing. A setting has collapsed below %s of the base's rate; a collector that stops the gateway for less than %s of the time is taken to explain no collapse. Rates are those of orders answered 201, until the last of them."
					.formatted(Figures.percent(COLLAPSED_BELOW), Figures.percent(LITTLE_PAUSE)));
		return section;
	}

	private static Table settings(Collapse collapse) {
		return Table.of("Orders answered per second in each setting, the fastest first", collapse.atMany(),
				List.of(Column.words("Setting", Effect::name).marked(Effect::marked),
						Column.measured(Load.Kind.BURST.text(FEW), Effect::few),
						Column.measured(Load.Kind.BURST.text(MANY), Effect::perSecond),
						Column.percent("of the base", Effect::left),
						Column.percent("of " + Load.Kind.BURST.text(FEW), Effect::growth),
						Column.measured("p99, ms", (effect) -> effect.cells().median(CellResult::latency, Timing::p99)),
						Column.percent("failed calls", (effect) -> effect.cells().failedShare()),
						Column.percent("stopped by GC", Effect::pauseShare)));
	}

}
