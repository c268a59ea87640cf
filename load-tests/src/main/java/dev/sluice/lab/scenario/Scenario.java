package dev.sluice.lab.scenario;

import java.util.List;
import java.util.Objects;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * A comparison that a user has described in a file. Each record refuses values that are
 * out of range with an {@link IllegalArgumentException} that names the key.
 *
 * @param question the question that it answers
 * @param backend the backend's behaviour
 * @param services the gateways and the consumer
 * @param load the orders
 * @param limits limits that each cell must meet
 */
public record Scenario(String question, BackendBehaviour backend, Services services, Load load, Limits limits) {

	/**
	 * The services that the lab starts.
	 *
	 * @param gateways the gateways
	 * @param heap heap of each service, in the JVM's notation
	 * @param collector garbage collector of each service
	 * @param deliveryConcurrency orders that the consumer delivers at once
	 */
	@JsonNaming(KebabCaseStrategy.class)
	public record Services(List<Variant> gateways, String heap, Collector collector, int deliveryConcurrency) {
		public Services {
			gateways = List.copyOf(gateways);
			require(!gateways.isEmpty(), "'gateways' is empty: leave it out or name at least one");
			require(heap.matches("[1-9][0-9]*[kmgKMG]"), "'heap' is not a size: write it as 768m or 1g");
			range("delivery-concurrency", deliveryConcurrency, 1, 100_000);
		}
	}

	/** The JVM's collectors. */
	public enum Collector {

		G1("G1"), SERIAL("Serial"), PARALLEL("Parallel"), ZGC("Z");

		private final String label;

		Collector(String label) {
			this.label = label;
		}

		/** The JVM's option. */
		public String option() {
			return "-XX:+Use%sGC".formatted(this.label);
		}

	}

	/**
	 * The load of the cells: numbers of orders, or rates.
	 *
	 * @param modes the modes
	 * @param orders numbers of orders, placed whenever a user is free
	 * @param rates orders due each second, by the clock
	 * @param seconds length of a cell with a rate
	 * @param inFlight maximum number of orders in flight
	 * @param items items of each order
	 * @param deadlineSeconds time limit of a cell
	 * @param repetitions number of repetitions of each cell
	 */
	@JsonNaming(KebabCaseStrategy.class)
	public record Load(List<Mode> modes, List<Integer> orders, List<Integer> rates, int seconds, int inFlight,
			int items, int deadlineSeconds, int repetitions) {
		public Load {
			modes = List.copyOf(modes);
			orders = orders.stream().distinct().toList();
			rates = rates.stream().distinct().toList();
			require(!modes.isEmpty(), "'modes' is empty: leave it out or name at least one");
			orders.forEach((number) -> range("orders", number, 1, 1_000_000));
			rates.forEach((rate) -> range("rates", rate, 1, 100_000));
			range("seconds", seconds, rates.isEmpty() ? 0 : 1, 1_800);
			range("in-flight", inFlight, 1, 5_000);
			range("items", items, 1, 100);
			range("deadline-seconds", deadlineSeconds, 1, 3_600);
			range("repetitions", repetitions, 1, 100);
		}

	}

	/**
	 * Limits that each cell must meet; null for no limit.
	 *
	 * @param p99Millis maximum 99th percentile of an accepted call, in milliseconds
	 * @param failedShare maximum share of failed calls, 0 to 1
	 * @param savedPerSecond minimum number of orders saved each second
	 */
	@JsonNaming(KebabCaseStrategy.class)
	public record Limits(@Nullable Long p99Millis, @Nullable Double failedShare, @Nullable Long savedPerSecond) {
		public Limits {
			range("p99-millis", Objects.requireNonNullElse(p99Millis, 1L), 1, 600_000);
			range("failed-share", Objects.requireNonNullElse(failedShare, 0.0), 0, 1);
			range("saved-per-second", Objects.requireNonNullElse(savedPerSecond, 1L), 1, 100_000_000);
		}
	}

	private static void range(String key, Number value, Number least, Number most) {
		require(value.doubleValue() >= least.doubleValue() && value.doubleValue() <= most.doubleValue(),
				"'%s' is %s: use %s to %s".formatted(key, value, least, most));
	}

	private static void require(boolean holds, String message) {
		if (!holds) {
			throw new IllegalArgumentException(message);
		}
	}

}
