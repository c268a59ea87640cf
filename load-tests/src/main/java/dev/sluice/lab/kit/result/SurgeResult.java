package dev.sluice.lab.kit.result;

import java.util.List;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.plan.Mode;

import com.fasterxml.jackson.annotation.JsonTypeName;
import org.jspecify.annotations.Nullable;

/**
 * What clients saw in each second of an open load over many connections.
 *
 * @param runs in order of execution
 */
@JsonTypeName("surge")
public record SurgeResult(List<Run> runs) implements Finding {

	public SurgeResult {
		runs = List.copyOf(runs);
	}

	/**
	 * One start of a gateway, and the load on it.
	 *
	 * @param readyMillis from the start of the process until it said that it is ready
	 * @param ended why the gateway did not live until the end; null if it did
	 * @param lag lateness of the load generator
	 * @param foreignCpuShare CPU share of other processes
	 * @param parts each step of the load
	 * @param seconds each second of it, with the orders that were due in it
	 */
	public record Run(String variant, Mode mode, int repetition, double readyMillis, @Nullable String ended,
			@Nullable Timing lag, @Nullable Double foreignCpuShare, List<Part> parts, List<Part> seconds) {

		public Run {
			parts = List.copyOf(parts);
			seconds = List.copyOf(seconds);
		}

		/** Its name: the variant and the mode. */
		public String name() {
			return "%s, %s".formatted(this.variant, this.mode);
		}

		/**
		 * Seconds from the begin of a part after which each second accepted 99 % or more;
		 * null if its last one did not.
		 */
		public @Nullable Integer normalAfter(Part part) {
			int last = this.seconds.stream()
				.filter((second) -> second.from() >= part.from() && second.to() <= part.to())
				.filter((second) -> !second.outcomes().isNormal())
				.mapToInt(Part::to)
				.max()
				.orElse(part.from() - 1);
			return (last < part.to()) ? Integer.valueOf(last - part.from() + 1) : null;
		}

	}

	/**
	 * Orders by what became of them, each counted once.
	 *
	 * @param due by the clock
	 * @param accepted answered with a 2xx
	 * @param refused answered with 429 or 503
	 * @param failed answered otherwise, or not answered
	 * @param notSent no connection was free
	 */
	public record Outcomes(int due, int accepted, int refused, int failed, int notSent) {

		private static final double NORMAL = 0.99;

		/** The share accepted, 0 to 1; null if none was due. */
		public @Nullable Double acceptedShare() {
			return (this.due > 0) ? Double.valueOf((double) this.accepted / this.due) : null;
		}

		/** Whether 99 % were accepted. */
		public boolean isNormal() {
			return this.accepted >= NORMAL * this.due;
		}

	}

	/**
	 * A step of the load, or one of its seconds.
	 *
	 * @param from its first second, from 1
	 * @param to its last second
	 * @param latency latency of the accepted ones from when they were due
	 * @param cores CPU use of the gateway, 1 = one core
	 * @param peakRssBytes resident memory of the gateway
	 */
	public record Part(int from, int to, Outcomes outcomes, @Nullable Timing latency, @Nullable Double cores,
			@Nullable Long peakRssBytes) {

		/** Its length. */
		public int seconds() {
			return this.to - this.from + 1;
		}

	}

}
