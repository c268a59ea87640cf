package dev.sluice.lab.kit.result;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.cell.Timing;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * The greatest rates that met a goal.
 *
 * @param goal in words
 * @param backend in words
 * @param knees in order of execution
 */
@JsonTypeName("knee")
public record KneeResult(String goal, String backend, List<Knee> knees) implements Finding {

	public KneeResult {
		Objects.requireNonNull(goal, "goal");
		Objects.requireNonNull(backend, "backend");
		knees = List.copyOf(knees);
	}

	/** The searches of each variant and mode, in the order of the first of each. */
	public List<List<Knee>> repeated() {
		return List.copyOf(this.knees.stream()
			.collect(Collectors.groupingBy(Knee::name, LinkedHashMap::new, Collectors.toList()))
			.values());
	}

	/**
	 * One search of a variant and mode.
	 *
	 * @param sustainedPerSecond greatest rate that met the goal
	 * @param failedPerSecond least rate above it that did not
	 * @param steps in order of execution
	 * @param millis duration of the search
	 */
	public record Knee(String variant, String mode, @Nullable Double sustainedPerSecond,
			@Nullable Double failedPerSecond, List<Step> steps, long millis) {

		/**
		 * After a complete search the two rates are no further apart than this factor.
		 */
		private static final double NEAR = 1.05;

		public Knee {
			steps = List.copyOf(steps);
		}

		/** Its name. */
		public String name() {
			return "%s %s".formatted(this.variant, this.mode);
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
	 * @param requestsPerSecond due
	 * @param latency from when a request was due
	 * @param savedP99Millis from accepted to saved, queued
	 * @param tally requests by outcome
	 * @param lagP99Millis lateness of the load generator
	 * @param generatorCpuMillis CPU time of the load generator per request
	 * @param foreignCpuShare CPU share of other processes
	 * @param missed why the goal was missed
	 */
	public record Step(double requestsPerSecond, @Nullable Timing latency, @Nullable Double savedP99Millis,
			ClientResult.Tally tally, double lagP99Millis, @Nullable Double generatorCpuMillis,
			@Nullable Double foreignCpuShare, @Nullable String missed) {

		public boolean held() {
			return this.missed == null;
		}

	}

}
