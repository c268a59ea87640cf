package dev.sluice.lab.kit.load;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.plan.BackendCapacity;
import dev.sluice.lab.kit.plan.LoadPlan;
import dev.sluice.lab.kit.plan.LoadPlan.Phase;
import dev.sluice.lab.kit.plan.Mode;
import io.gatling.javaapi.core.Assertion;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

import static io.gatling.javaapi.core.CoreDsl.global;

/**
 * Reads a simulation's plan: from the file that the lab names in {@code -Dsluice.plan}
 * or, in a run by hand, from the system properties {@code gateway.url},
 * {@code backend.url}, {@code orders}, {@code modes}, {@code capacity}, {@code users} and
 * {@code results}. A run by hand also has goals, {@code max-failed} and {@code max-p99};
 * in the lab any figure is a result.
 */
final class PlanSource {

	/** The system property with the path of a {@link LoadPlan}. */
	static final String PLAN = "sluice.plan";

	private static final long DEADLINE_MILLIS = 120_000;

	private PlanSource() {
	}

	static LoadPlan read(JsonMapper json) {
		String file = System.getProperty(PLAN);
		try {
			return (file != null) ? json.readValue(Files.readString(Path.of(file)), LoadPlan.class) : fromProperties();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("Cannot read the plan", ex);
		}
	}

	/** The goals of a run by hand; none for the lab's. */
	static List<Assertion> assertions() {
		if (System.getProperty(PLAN) != null) {
			return List.of();
		}
		List<Assertion> assertions = new ArrayList<>(List.of(global().successfulRequests().count().gt(0L),
				global().failedRequests().percent().lte(Double.parseDouble(property("max-failed", "0")))));
		Integer p99 = Integer.getInteger("max-p99");
		if (p99 != null) {
			assertions.add(global().responseTime().percentile(99).lte(p99));
		}
		return assertions;
	}

	private static LoadPlan fromProperties() throws IOException {
		URI backend = URI.create(property("backend.url", "http://127.0.0.1:8090"));
		if (!Boolean.getBoolean("reset")) {
			throw new IllegalArgumentException(
					"This clears the orders of the backend at %s and changes its behaviour: allow it with -Dreset=true"
						.formatted(backend));
		}
		BackendBehaviour behaviour = BackendCapacity.of(System.getProperty("capacity", "unlimited")).behaviour();
		int users = Integer.getInteger("users", 1_000);
		List<Phase> phases = new ArrayList<>();
		for (String mode : System.getProperty("modes", "sync,queued").split(",")) {
			phases.add(phase("warm-up " + mode, mode, 2_000, 64,
					behaviour.withCapacity(new BackendBehaviour.Capacity.Unlimited()), false));
		}
		for (String orders : System.getProperty("orders", "10,100,1000").split(",")) {
			for (String mode : System.getProperty("modes", "sync,queued").split(",")) {
				phases.add(phase(mode + " " + orders, mode, Integer.parseInt(orders), users, behaviour, true));
			}
		}
		Path results = Path.of(property("results", "target/orders-simulation"));
		Files.createDirectories(results);
		return new LoadPlan(Long.toString(System.currentTimeMillis(), Character.MAX_RADIX),
				URI.create(property("gateway.url", "http://127.0.0.1:8080")), backend, results, phases);
	}

	private static Phase phase(String name, String mode, int orders, int users, BackendBehaviour behaviour,
			boolean measured) {
		return new Phase(name, Mode.of(mode), orders, users, behaviour, DEADLINE_MILLIS, measured);
	}

	private static String property(String name, String otherwise) {
		@Nullable String value = System.getProperty(name);
		return (value != null && !value.isBlank()) ? value : otherwise;
	}

}
