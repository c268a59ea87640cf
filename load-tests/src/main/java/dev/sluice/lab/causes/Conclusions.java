package dev.sluice.lab.causes;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

import dev.sluice.lab.causes.Effects.Effect;
import dev.sluice.lab.kit.statistics.PairedComparison;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.CausesResult;
import org.jspecify.annotations.Nullable;

/** Conclusions that the figures support, in sentences made by fixed rules. */
record Conclusions(Effects effects) {

	/** A setting with less than this share of the base's rate has collapsed. */
	static final double COLLAPSED_BELOW = 0.5;

	/**
	 * A collector that stops the gateway for less than this share of the time explains no
	 * collapse.
	 */
	static final double LITTLE_PAUSE = 0.1;

	/**
	 * The load counts as multiplied from this many requests at the backend for each
	 * order.
	 */
	private static final double MULTIPLIED = 1.1;

	/** The verdict on the reference's claim that garbage collection is the cause. */
	enum Outcome {

		REPRODUCED, REFUTED, UNDECIDED

	}

	Outcome outcome() {
		List<Effect> collapsed = collapsed();
		List<Effect> memory = memory();
		if (memory.stream().anyMatch(this::explainsACollapse)) {
			return Outcome.REPRODUCED;
		}
		boolean refuted = !collapsed.isEmpty() && !memory.isEmpty() && memoryNotMeasured().isEmpty()
				&& collapsed.stream().allMatch((effect) -> isWithoutCollector(effect, collapsed))
				&& memory.stream().allMatch((effect) -> !hasCollapsed(effect));
		return refuted ? Outcome.REFUTED : Outcome.UNDECIDED;
	}

	/** The main conclusion. */
	String answer() {
		List<Effect> collapsed = collapsed();
		Optional<Effect> hardest = memory().stream().min(Comparator.comparingDouble(this::left));
		String others = collapsed.isEmpty() ? "no setting lost half of the base's rate" : paused(collapsed);
		String memory = hardest.map((
				effect) -> "Hardest on the collector, %s at N = %s kept %s of the base's rate, stopped for %s of the time"
					.formatted(effect.name(), Figures.count(effect.orders()), Figures.percent(left(effect)),
							percent(effect.pauseShare())))
			.orElse("No setting varied heap or collector alone");
		return switch (outcome()) {
			case REPRODUCED ->
				"Garbage collection alone can make the throughput collapse: the reference's claim is reproduced. %s."
					.formatted(memory);
			case REFUTED ->
				"Garbage collection is not what makes the throughput collapse here: the reference's claim is refuted%s. What collapsed did so without it: %s. %s."
					.formatted(outOfMemory().isEmpty() ? "" : ", for all memory settings that the gateway survives",
							others, memory);
			case UNDECIDED -> "These figures neither reproduce nor refute that garbage collection is the cause: %s. %s."
				.formatted(others, memory);
		};
	}

	private String paused(List<Effect> collapsed) {
		List<Effect> little = collapsed.stream().filter(Conclusions::hasLittlePause).toList();
		boolean isPart = little.size() < collapsed.size()
				&& collapsed.stream().allMatch((effect) -> isWithoutCollector(effect, collapsed));
		String settings = isPart ? "%d of the %d settings".formatted(little.size(), collapsed.size())
				: (collapsed.size() == 1) ? "the one setting" : "the %d settings".formatted(collapsed.size());
		double most = Effects
			.most((isPart ? little : collapsed).stream().<@Nullable Double>map(Effect::pauseShare).toList());
		return "in %s that lost half of the base's rate or more, it stopped the gateway for at most %s of the time%s"
			.formatted(settings, Figures.percent(most),
					isPart ? ", and each of the others is one of these with more added" : "");
	}

	/** Further conclusions. */
	List<String> sentences() {
		List<String> sentences = new ArrayList<>();
		this.effects.base().ifPresent((base) -> sentences.add(base(base)));
		if (!outOfMemory().isEmpty()) {
			sentences.add("The gateway ran out of memory and ended with %s: that is not a collapse."
				.formatted(String.join("; ", outOfMemory().stream().map(this::beforeItsEnd).toList())));
		}
		if (!memoryNotMeasured().isEmpty()) {
			sentences.add("Not measured, so their effect is unknown: %s. The beginning of this page says why."
				.formatted(String.join(", ", memoryNotMeasured())));
		}
		List<Effect> worse = this.effects.atMany()
			.reversed()
			.stream()
			.filter((effect) -> effect.setting().changes().size() == 1 && this.effects.differs(effect)
					&& left(effect) < 1)
			.toList();
		sentences.add(worse.isEmpty() ? "No factor alone costs more than the noise."
				: "Alone, these cost most: %s.".formatted(String.join("; ",
						worse.stream()
							.limit(4)
							.map((effect) -> "%s, %s of the rate%s".formatted(effect.name(),
									Figures.percent(1 - left(effect)), interval(effect)))
							.toList())));
		sentences.add(growth());
		nearest().ifPresent((effect) -> sentences.add(
				"Nearest to the reference's %s orders per second is %s with %s. There an order took %s of the whole time on average; in the reference %s. Orders served one after another take half of it, orders that all end together take all of it."
					.formatted(Figures.measured(Reference.MANY_PER_SECOND), effect.name(),
							Figures.measured(effect.perSecond()), percent(effect.together()),
							Figures.percent(Reference.TOGETHER))));
		this.effects.atMany()
			.stream()
			.max(Comparator.comparingDouble(Effect::attempts))
			.filter((effect) -> effect.attempts() >= MULTIPLIED)
			.ifPresent((effect) -> sentences
				.add("The load multiplied most with %s: the backend had %s requests for each order placed."
					.formatted(effect.name(), Figures.measured(effect.attempts()))));
		return sentences;
	}

	private String base(Effect base) {
		double noise = this.effects.noise();
		return "The base takes %s orders per second at N = %s (%s)%s.".formatted(Figures.measured(base.perSecond()),
				Figures.count(base.orders()),
				"nothing in the way: no limit at the backend, enough threads and heap, nobody gives up, connections kept",
				(noise > 1)
						? "; from one start to another it differed by up to %s".formatted(Figures.percent(noise - 1))
						: "");
	}

	private String growth() {
		List<String> slower = this.effects.atMany()
			.stream()
			.map(Effect::name)
			.filter((name) -> isBelow(this.effects.growth(name), COLLAPSED_BELOW))
			.toList();
		Optional<Effect> least = this.effects.atMany()
			.stream()
			.filter((effect) -> this.effects.growth(effect.name()) != null)
			.min(Comparator
				.comparingDouble((effect) -> Objects.requireNonNullElse(this.effects.growth(effect.name()), 0.0)));
		String few = Figures.count(this.effects.result().few());
		String many = Figures.count(this.effects.result().many());
		String reference = "the reference's rate at N = %s was %s of that at N = %s".formatted(many,
				Figures.percent(Reference.LEFT), few);
		if (!slower.isEmpty()) {
			return "The rate fell by more than half from N = %s to N = %s with %s; %s.".formatted(few, many,
					String.join(", ", slower), reference);
		}
		return "With no setting did the rate fall by half from N = %s to N = %s%s; %s.".formatted(few, many,
				least
					.map((effect) -> ", at worst to %s (%s)".formatted(percent(this.effects.growth(effect.name())),
							effect.name()))
					.orElse(""),
				reference);
	}

	private static boolean isBelow(@Nullable Double value, double limit) {
		return value != null && value < limit;
	}

	private Optional<Effect> nearest() {
		return this.effects.atMany()
			.stream()
			.filter((effect) -> effect.perSecond() > 0)
			.min(Comparator
				.comparingDouble((effect) -> Math.abs(Math.log(effect.perSecond() / Reference.MANY_PER_SECOND))));
	}

	/** The interval of a loss; empty if the pairs are too few. */
	String interval(Effect effect) {
		return this.effects.paired(effect)
			.filter((paired) -> paired.pairs() >= PairedComparison.MIN_PAIRS)
			.map((paired) -> " (%s to %s)".formatted(Figures.percent(1 - paired.high()),
					Figures.percent(1 - paired.low())))
			.orElse("");
	}

	/**
	 * The interval of what is left of the base's rate; a dash if the pairs are too few.
	 */
	String range(Effect effect) {
		return this.effects.paired(effect)
			.filter((paired) -> paired.pairs() >= PairedComparison.MIN_PAIRS)
			.map((paired) -> "%s to %s".formatted(Figures.percent(paired.low()), Figures.percent(paired.high())))
			.orElse(Figures.NONE);
	}

	private List<Effect> collapsed() {
		return this.effects.atMany()
			.stream()
			.filter((effect) -> !effect.setting().outOfMemory() && hasCollapsed(effect))
			.toList();
	}

	/**
	 * Effects of settings that change heap or collector and do not kill the gateway, at
	 * each load from the high one on.
	 */
	private List<Effect> memory() {
		return this.effects.result()
			.settings()
			.stream()
			.filter((setting) -> setting.memory() && !setting.outOfMemory()
					&& !setting.name().equals(CausesResult.BASE))
			.flatMap((setting) -> this.effects.loads()
				.stream()
				.filter((load) -> load >= this.effects.result().many())
				.flatMap((load) -> this.effects.at(setting.name(), load).stream()))
			.filter((effect) -> this.effects.left(effect) != null)
			.toList();
	}

	/** Settings with which the gateway ran out of memory. */
	private List<String> outOfMemory() {
		return this.effects.result()
			.settings()
			.stream()
			.filter(CausesResult.FactorLevels::outOfMemory)
			.map(CausesResult.FactorLevels::name)
			.toList();
	}

	/** The name with its figures under the high load, if the gateway survived that. */
	private String beforeItsEnd(String name) {
		return this.effects.at(name, this.effects.result().many())
			.filter((effect) -> this.effects.left(effect) != null)
			.map((effect) -> "%s (before, at N = %s, it had kept %s of the base's rate, stopped for %s of the time)"
				.formatted(name, Figures.count(effect.orders()), Figures.percent(left(effect)),
						percent(effect.pauseShare())))
			.orElse(name);
	}

	/**
	 * Memory settings without figures, for instance because the gateway failed for
	 * another reason. One of them may be the worst for the collector.
	 */
	private List<String> memoryNotMeasured() {
		return this.effects.result()
			.settings()
			.stream()
			.filter((setting) -> setting.memory() && !setting.outOfMemory()
					&& this.effects.at(setting.name(), this.effects.result().many()).isEmpty())
			.map(CausesResult.FactorLevels::name)
			.toList();
	}

	private static boolean hasLittlePause(Effect effect) {
		return isBelow(effect.pauseShare(), LITTLE_PAUSE);
	}

	/**
	 * Whether the setting, or a collapsed setting whose changes it contains, collapsed
	 * with few pauses. The changes that it adds to such a setting did not cause the
	 * collapse.
	 */
	private static boolean isWithoutCollector(Effect effect, List<Effect> collapsed) {
		return collapsed.stream()
			.anyMatch((part) -> hasLittlePause(part)
					&& effect.setting().changes().entrySet().containsAll(part.setting().changes().entrySet()));
	}

	private boolean hasCollapsed(Effect effect) {
		return isBelow(this.effects.left(effect), COLLAPSED_BELOW);
	}

	/** Whether the setting collapsed and pauses account for at least half of its loss. */
	private boolean explainsACollapse(Effect effect) {
		Double pause = effect.pauseShare();
		return hasCollapsed(effect) && pause != null && pause >= (1 - left(effect)) / 2;
	}

	private double left(Effect effect) {
		return Objects.requireNonNullElse(this.effects.left(effect), 1.0);
	}

	static String percent(@Nullable Double share) {
		return (share != null) ? Figures.percent(share) : Figures.NONE;
	}

}
