package dev.sluice.lab.kit.load;

import java.net.URI;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Properties;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.Phase;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Phase.Extent;
import dev.sluice.lab.kit.plan.Phase.Target;
import org.jspecify.annotations.Nullable;

/**
 * The parameters of an {@link OrdersSimulation}: JSON in the lab's runs, system
 * properties in a run by hand, which {@code docs/laboratory.md} lists.
 *
 * @param phase what to place; its backlog and its backend are not the simulation's to
 * watch
 * @param token part of the orders' keys, so that two runs never share one
 * @param notes file for the calls, in the form of an {@code OrderCalls}; null for none
 * @param maxFailed share of calls that may fail, in per cent; with 100, nothing is
 * asserted
 * @param maxP99 goal for the p99 of a call, in milliseconds; null for none
 */
record LoadParameters(Phase phase, String token, @Nullable Path notes, double maxFailed, @Nullable Integer maxP99) {

	private static final double SECOND_MILLIS = 1_000;

	/**
	 * Reads the parameters.
	 * @throws IllegalArgumentException if one has no such value
	 */
	static LoadParameters of(Properties properties) {
		String notes = properties.getProperty("notes", "");
		String maxP99 = properties.getProperty("max-p99", "");
		Phase phase = new Phase(properties.getProperty("name", "orders"),
				Arrays.stream(properties.getProperty("targets", "sync@http://127.0.0.1:8080").split(","))
					.map(LoadParameters::target)
					.toList(),
				new Extent(Integer.parseInt(properties.getProperty("orders", "1000")),
						millis(properties.getProperty("seconds", "0")), 0),
				new Client(Integer.parseInt(properties.getProperty("users", "100")),
						Boolean.parseBoolean(properties.getProperty("keep-alive", "true")),
						Double.parseDouble(properties.getProperty("rate", "0")),
						Integer.parseInt(properties.getProperty("items", Integer.toString(Client.ITEMS)))),
				BackendBehaviour.DEFAULT, millis(properties.getProperty("deadline", "120")));
		return new LoadParameters(phase,
				properties.getProperty("token", Long.toString(System.currentTimeMillis(), Character.MAX_RADIX)),
				notes.isEmpty() ? null : Path.of(notes), Double.parseDouble(properties.getProperty("max-failed", "0")),
				maxP99.isEmpty() ? null : Integer.valueOf(maxP99));
	}

	/** The number of users: no more than orders. */
	int users() {
		int users = this.phase.client().users();
		return this.phase.extent().isTimed() ? users : Math.min(this.phase.extent().orders(), users);
	}

	private static Target target(String text) {
		String[] parts = text.split("@", 2);
		if (parts.length < 2) {
			throw new IllegalArgumentException("targets: '%s' is not mode@url".formatted(text));
		}
		return new Target(URI.create(parts[1]), Mode.of(parts[0]));
	}

	private static long millis(String seconds) {
		return Math.round(Double.parseDouble(seconds) * SECOND_MILLIS);
	}

}
