package dev.sluice.lab.scenario;

import java.time.Duration;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.plan.LoadPlan.Flap;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;

/**
 * A comparison that a user has written down.
 *
 * @param name the file's, without its ending
 * @param question that it is to answer
 * @param backend how it behaves
 * @param flap what it turns into by turns; null if it stays as it is
 * @param variants gateways
 * @param heap of each service, in the JVM's notation
 * @param collector of each service, as the JVM's option
 * @param modes of taking an order
 * @param loads in the order they run, each with another number of orders
 * @param users orders in flight at most
 * @param items of an order
 * @param deadline of a cell
 * @param deliveryConcurrency orders that the consumer delivers at once
 * @param repetitions of everything
 * @param limits what it must keep
 * @param target a deployed system to be measured; null: one is started
 */
public record Scenario(String name, String question, BackendBehaviour backend, @Nullable Flap flap,
		List<Variant> variants, String heap, String collector, List<Mode> modes, List<Orders> loads, int users,
		int items, Duration deadline, int deliveryConcurrency, int repetitions, Limits limits,
		@Nullable Target target) {

	public Scenario {
		variants = List.copyOf(variants);
		modes = List.copyOf(modes);
		loads = List.copyOf(loads);
	}

	/**
	 * A number of orders.
	 *
	 * @param orders how many
	 * @param perSecond due a second, by the clock; 0 = whenever a user is free
	 */
	public record Orders(int orders, double perSecond) {
	}

	/**
	 * What each cell is held against. A null is no limit.
	 *
	 * @param p99Millis of an accepted call, in milliseconds
	 * @param failed share of the calls
	 * @param savedPerSecond orders saved each second, at least
	 */
	public record Limits(@Nullable Long p99Millis, @Nullable Double failed, @Nullable Long savedPerSecond) {
	}

}
