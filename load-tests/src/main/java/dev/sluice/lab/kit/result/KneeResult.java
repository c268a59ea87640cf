package dev.sluice.lab.kit.result;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.statistics.Timing;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The greatest rates that met a goal.
 *
 * @param goal in words
 * @param backend in words
 * @param knees in the order they were searched
 */
@JsonTypeName("knee")
public record KneeResult(String goal, String backend, List<Knee> knees) implements Finding {

	public KneeResult {
		Objects.requireNonNull(goal, "goal");
		Objects.requireNonNull(backend, "backend");
		knees = List.copyOf(knees);
	}

	/** What a queued order's way is searched for. */
	public enum Aim {

		/** It is answered in time. */
		ACCEPTING,

		/** It is saved in time, and the backlog does not grow. */
		SAVING;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** The searches of each variant, mode and aim, in the order of the first of each. */
	public List<List<Knee>> repeated() {
		return List.copyOf(this.knees.stream()
			.collect(Collectors.groupingBy(Knee::name, LinkedHashMap::new, Collectors.toList()))
			.values());
	}

	@Override
	public List<@Nullable Double> foreignCpuShares() {
		return this.knees.stream()
			.flatMap((knee) -> knee.steps().stream())
			.<@Nullable Double>map(Step::foreignCpuShare)
			.toList();
	}

	/**
	 * One variant, mode and aim.
	 *
	 * @param aim of the queued mode; null: all that the mode's orders must meet, as of
	 * the sync mode, of a target, and in results from before there were two
	 * @param sustainedPerSecond the greatest rate that met the goal; null if none did
	 * @param failedPerSecond the least rate above it that did not; null if none was found
	 * @param steps in the order they were tried
	 * @param millis how long it took
	 */
	public record Knee(String variant, String mode, @Nullable Aim aim, @Nullable Double sustainedPerSecond,
			@Nullable Double failedPerSecond, List<Step> steps, long millis) {

		/** The two rates are no further apart where the search came to its end. */
		private static final double NEAR = 1.05;

		public Knee {
			steps = List.copyOf(steps);
		}

		/** What it is called. */
		public String name() {
			return "%s %s%s".formatted(this.variant, this.mode, (this.aim != null) ? ", " + this.aim : "");
		}

		/** The step of the greatest rate that met the goal; null if none did. */
		public @Nullable Step sustained() {
			return last(this.sustainedPerSecond);
		}

		/** The step of the least rate above it that did not; null if there is none. */
		public @Nullable Step failed() {
			return last(this.failedPerSecond);
		}

		/** Whether the time was up while the two rates were still far apart. */
		public boolean cutShort() {
			return this.sustainedPerSecond != null && this.failedPerSecond != null
					&& this.failedPerSecond > this.sustainedPerSecond * NEAR;
		}

		private @Nullable Step last(@Nullable Double rate) {
			return this.steps.reversed()
				.stream()
				.filter((step) -> rate != null && step.requestsPerSecond() == rate)
				.findFirst()
				.orElse(null);
		}

	}

	/**
	 * A rate that was tried.
	 *
	 * @param requestsPerSecond due, by the clock
	 * @param latency of the answers, since due; null if there were none
	 * @param savedP99Millis from accepted to saved, of queued orders; null if not asked
	 * for or not known
	 * @param tally what became of the requests
	 * @param lagP99Millis how late 99 % of the requests were sent, at most
	 * @param generatorCpuMillis of the load generator, for a request
	 * @param foreignCpuShare of the machine's CPU, 0 to 1, in other hands; null if not
	 * sampled
	 * @param missed why the goal was not met; null if it was
	 */
	public record Step(double requestsPerSecond, @Nullable Timing latency, @Nullable Double savedP99Millis,
			ClientResult.Tally tally, double lagP99Millis, @Nullable Double generatorCpuMillis,
			@Nullable Double foreignCpuShare, @Nullable String missed) {

		public boolean held() {
			return this.missed == null;
		}

	}

}
