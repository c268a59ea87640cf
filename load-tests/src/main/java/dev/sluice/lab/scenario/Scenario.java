package dev.sluice.lab.scenario;

import java.time.Duration;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;

/**
 * A comparison that a user has described in a file.
 *
 * @param name name of the file without its extension
 * @param question the question that it answers
 * @param backend the backend's behaviour
 * @param services the gateways and the consumer
 * @param load the orders
 * @param limits limits that each cell must meet
 * @param target deployed system to measure; null to start one
 */
public record Scenario(String name, String question, BackendBehaviour backend, Services services, Load load,
		Limits limits, @Nullable Target target) {

	/**
	 * The services that the lab starts.
	 *
	 * @param gateways the gateways
	 * @param heap heap of each service, in the JVM's notation
	 * @param collector garbage collector of each service, as a JVM option
	 * @param deliveryConcurrency orders that the consumer delivers at once
	 */
	public record Services(List<Variant> gateways, String heap, String collector, int deliveryConcurrency) {

		public Services {
			gateways = List.copyOf(gateways);
		}

	}

	/**
	 * The load of the cells.
	 *
	 * @param modes the modes
	 * @param sizes the loads in the order they run, each with another number of orders
	 * @param users maximum number of orders in flight
	 * @param items items of each order
	 * @param deadline time limit of a cell
	 * @param repetitions number of repetitions of each cell
	 */
	public record Load(List<Mode> modes, List<Orders> sizes, int users, int items, Duration deadline, int repetitions) {

		public Load {
			modes = List.copyOf(modes);
			sizes = List.copyOf(sizes);
		}

	}

	/**
	 * A number of orders.
	 *
	 * @param orders number of orders
	 * @param perSecond orders due each second, by the clock; 0 to place one whenever a
	 * user is free
	 */
	public record Orders(int orders, double perSecond) {
	}

	/**
	 * Limits that each cell must meet; null for no limit.
	 *
	 * @param p99Millis maximum 99th percentile of an accepted call, in milliseconds
	 * @param failed maximum share of failed calls, 0 to 1
	 * @param savedPerSecond minimum number of orders saved each second
	 */
	public record Limits(@Nullable Long p99Millis, @Nullable Double failed, @Nullable Long savedPerSecond) {
	}

}
