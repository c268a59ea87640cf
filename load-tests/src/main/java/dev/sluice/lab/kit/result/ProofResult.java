package dev.sluice.lab.kit.result;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * The result of testing one claim.
 *
 * @param proof its name in commands
 * @param question the question that it answers
 * @param setting what was done, how much of it and with which seed: name to value
 * @param checks requirements and measured values
 * @param timeline what happened second by second; null if that is of no interest
 * @param millis duration of the test
 * @param problem why it broke off, which proves nothing; null if it did not
 */
public record ProofResult(String proof, String question, Map<String, String> setting, List<Check> checks,
		@Nullable Timeline timeline, long millis, @Nullable String problem) {

	public ProofResult {
		Objects.requireNonNull(proof, "proof");
		Objects.requireNonNull(question, "question");
		setting = Map.copyOf(setting);
		checks = List.copyOf(checks);
	}

	/** Whether it was completed and all checks hold. */
	public boolean holds() {
		return this.problem == null && !this.checks.isEmpty() && this.checks.stream().allMatch(Check::holds);
	}

	/** The side of the limit on which the measured value must be. */
	public enum Relation {

		AT_MOST, EXACTLY, AT_LEAST

	}

	/**
	 * A requirement.
	 *
	 * @param what is measured
	 * @param bound relation of the measured value to the limit
	 * @param limit in the unit
	 * @param measured in the unit; null if the awaited event did not happen
	 * @param unit such as {@code ms}; empty for a number of what is measured
	 */
	public record Check(String what, Relation bound, double limit, @Nullable Double measured, String unit) {

		public Check {
			Objects.requireNonNull(what, "what");
			Objects.requireNonNull(bound, "bound");
			Objects.requireNonNull(unit, "unit");
		}

		/** Requires this exact number. */
		public static Check exactly(String what, long limit, long measured) {
			return new Check(what, Relation.EXACTLY, limit, (double) measured, "");
		}

		/** Requires that there are none. */
		public static Check none(String what, long measured) {
			return exactly(what, 0, measured);
		}

		public static Check atMost(String what, double limit, @Nullable Double measured, String unit) {
			return new Check(what, Relation.AT_MOST, limit, measured, unit);
		}

		public static Check atLeast(String what, double limit, @Nullable Double measured, String unit) {
			return new Check(what, Relation.AT_LEAST, limit, measured, unit);
		}

		public boolean holds() {
			if (this.measured == null) {
				return false;
			}
			return switch (this.bound) {
				case AT_MOST -> this.measured <= this.limit;
				case EXACTLY -> this.measured == this.limit;
				case AT_LEAST -> this.measured >= this.limit;
			};
		}

	}

	/**
	 * Figures on one axis of seconds.
	 *
	 * @param seconds length of the axis
	 * @param spans what happened during that time
	 */
	public record Timeline(int seconds, List<Series> series, List<Span> spans) {

		public Timeline {
			series = List.copyOf(series);
			spans = List.copyOf(spans);
		}

	}

	/**
	 * One figure.
	 *
	 * @param name with its unit
	 * @param values by second; null where it is not known
	 */
	public record Series(String name, List<@Nullable Double> values) {

		/** A figure that is known for every second. */
		public static Series of(String name, double[] values) {
			List<@Nullable Double> all = new ArrayList<>();
			for (double value : values) {
				all.add(value);
			}
			return new Series(name, all);
		}

	}

	/**
	 * Something that was done for a time.
	 *
	 * @param what it was done to
	 * @param how what was done
	 * @param from in seconds
	 * @param to in seconds
	 */
	public record Span(String what, String how, double from, double to) {
	}

}
