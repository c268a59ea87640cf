package dev.sluice.lab.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.plan.Phase.Client;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.scenario.Scenario.Limits;
import dev.sluice.lab.scenario.Scenario.Load;
import dev.sluice.lab.scenario.Scenario.Orders;
import dev.sluice.lab.scenario.Scenario.Services;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * Reads a {@link Scenario} from YAML. The documentation describes every field. Unknown
 * keys, missing units and values out of range are refused, with the line and the allowed
 * values.
 */
public final class ScenarioFile {

	private static final Duration MAX_DELAY = Duration.ofMinutes(10);

	private static final int MAX_THREADS = 100_000;

	/** The JVM's collectors, as options, by their names in a scenario. */
	private static final Map<String, String> COLLECTORS = Map.of("G1", "-XX:+UseG1GC", "Serial", "-XX:+UseSerialGC",
			"Parallel", "-XX:+UseParallelGC", "ZGC", "-XX:+UseZGC");

	private ScenarioFile() {
	}

	/**
	 * Reads a file.
	 * @throws ScenarioException if the file is not a scenario
	 * @throws IOException if it cannot be read
	 */
	public static Scenario read(Path file) throws IOException {
		Fields root = Fields.of(file, "question", "target", "backend", "services", "load", "limits");
		Target target = root.has("target") ? TargetFile.target(root.fields("target", TargetFile.KEYS), file) : null;
		if (target != null) {
			root.refuse("a target is measured as it is: leave out 'backend' and 'services'", "backend", "services");
		}
		return new Scenario(String.valueOf(file.getFileName()).replaceFirst("\\.ya?ml$", ""),
				root.text(root.need("question")), backend(root.fields("backend", "delay", "capacity", "errors")),
				services(root.fields("services", "gateways", "heap", "collector", "delivery-concurrency")),
				load(root.need("load", "modes", "orders", "rates", "for", "in-flight", "items", "deadline",
						"repetitions"), target != null),
				limits(root.fields("limits", "p99", "failed-calls", "saved-per-second")), target);
	}

	private static Services services(Fields fields) {
		List<Variant> gateways = fields.list("gateways", (value) -> fields.one(value, Variant.values(), Variant::of),
				List.of(Variant.values()));
		String collector = fields.take("collector")
			.map((value) -> fields.one(value, new String[] { "G1", "Serial", "Parallel", "ZGC" },
					(name) -> Optional.ofNullable(COLLECTORS.get(name)).orElseThrow(IllegalArgumentException::new)))
			.orElse("-XX:+UseG1GC");
		return new Services(gateways, fields.take("heap").map(fields::heap).orElse("768m"), collector,
				fields.count("delivery-concurrency", 1, MAX_THREADS, 50));
	}

	private static Load load(Fields fields, boolean deployed) {
		List<Mode> modes = fields.list("modes", (value) -> fields.one(value, Mode.values(), Mode::of),
				List.of(Mode.values()));
		List<Orders> sizes = loads(fields);
		if (deployed && sizes.getFirst().perSecond() == 0) {
			throw fields.refused(fields.node(), "a target gets 'rates', as [50/s], with 'for', and not 'orders'");
		}
		if (deployed) {
			fields.refuse("a target gets its orders by the clock: leave this out", "in-flight", "items", "deadline");
		}
		Duration deadline = fields.take("deadline")
			.map((value) -> fields.duration(value, Duration.ofSeconds(1), Duration.ofMinutes(60)))
			.orElse(Duration.ofMinutes(1));
		return new Load(modes, sizes, fields.count("in-flight", 1, 5_000, 1_000),
				fields.count("items", 1, 100, Client.ITEMS), deadline, fields.count("repetitions", 1, 100, 1));
	}

	private static List<Orders> loads(Fields fields) {
		Optional<Node> rates = fields.take("rates");
		Optional<Node> orders = fields.take("orders");
		if (rates.isPresent() == orders.isPresent()) {
			throw fields.refused(rates.or(() -> orders).orElseGet(fields::node),
					"'load' has either 'orders', as [10, 1000], or 'rates', as [50/s], with 'for'");
		}
		if (orders.isPresent()) {
			return fields.list(orders.get(), (value) -> new Orders(fields.count(value, 1, 1_000_000), 0));
		}
		Duration length = fields.duration(fields.need("for"), Duration.ofSeconds(1), Duration.ofMinutes(30));
		List<Orders> loads = fields.list(rates.get(), (value) -> {
			double rate = fields.perSecond(value);
			return new Orders((int) Math.max(1, Math.round(rate * length.toMillis() / 1_000)), rate);
		});
		if (loads.stream().map(Orders::orders).distinct().count() < loads.size()) {
			throw fields.refused(rates.get(),
					"two of the rates make the same number of orders in that time: choose a longer 'for'");
		}
		return loads;
	}

	private static BackendBehaviour backend(Fields fields) {
		BackendBehaviour behaviour = BackendBehaviour.DEFAULT
			.withDelay(fields.take("delay").map((value) -> delay(fields, value)).orElse(new Delay.Fixed(50)))
			.withCapacity(
					fields.take("capacity").map((value) -> capacity(fields, value)).orElse(new Capacity.Unlimited()));
		if (!fields.has("errors")) {
			return behaviour;
		}
		Fields errors = fields.fields("errors", "share", "status");
		return behaviour.withErrors(errors.share(errors.need("share")), errors.count("status", 400, 599, 503));
	}

	private static Delay delay(Fields fields, Node value) {
		if (value instanceof ScalarNode) {
			return new Delay.Fixed(fields.duration(value, Duration.ZERO, MAX_DELAY).toMillis());
		}
		Fields kind = fields.of(value, "uniform", "log-normal");
		if (kind.has("uniform") == kind.has("log-normal")) {
			throw fields.refused(value, "'delay' is a time, as 50ms, or one of uniform, log-normal");
		}
		if (kind.has("uniform")) {
			Fields uniform = kind.fields("uniform", "from", "to");
			Duration least = uniform.duration(uniform.need("from"), Duration.ZERO, MAX_DELAY);
			return new Delay.Uniform(least.toMillis(),
					uniform.duration(uniform.need("to"), least, MAX_DELAY).toMillis());
		}
		Fields logNormal = kind.fields("log-normal", "median", "p99");
		Duration median = logNormal.duration(logNormal.need("median"), Duration.ofMillis(1), MAX_DELAY);
		return new Delay.LogNormal(median.toMillis(),
				logNormal.duration(logNormal.need("p99"), median, MAX_DELAY).toMillis());
	}

	private static Capacity capacity(Fields fields, Node value) {
		if (value instanceof ScalarNode) {
			if (!fields.text(value).equals("unlimited")) {
				throw fields.refused(value,
						"'%s' is unknown: use unlimited, or one of workers, starved and rate with their numbers"
							.formatted(fields.text(value)));
			}
			return new Capacity.Unlimited();
		}
		Fields model = fields.of(value, "workers", "starved", "rate");
		if (Stream.of("workers", "starved", "rate").filter(model::has).count() != 1) {
			throw fields.refused(value, "'capacity' is unlimited, or one of workers, starved, rate");
		}
		if (model.has("workers")) {
			Fields workers = model.fields("workers", "threads", "queue");
			return new Capacity.Workers(workers.count(workers.need("threads"), 1, MAX_THREADS), queue(workers));
		}
		if (model.has("starved")) {
			Fields starved = model.fields("starved", "threads", "more-per-second", "most", "queue");
			return new Capacity.Starved(starved.count(starved.need("threads"), 1, MAX_THREADS),
					starved.count("more-per-second", 1, 1_000, 1), starved.count("most", 1, MAX_THREADS, 1_000),
					queue(starved));
		}
		Fields rate = model.fields("rate", "limit", "burst");
		return new Capacity.Rate(rate.perSecond(rate.need("limit")), rate.count("burst", 1, 1_000_000, 1));
	}

	private static int queue(Fields fields) {
		return fields.count("queue", 0, 1_000_000, 200);
	}

	private static Limits limits(Fields fields) {
		return new Limits(
				fields.take("p99")
					.map((value) -> fields.duration(value, Duration.ofMillis(1), MAX_DELAY).toMillis())
					.orElse(null),
				fields.take("failed-calls").map(fields::share).orElse(null),
				fields.take("saved-per-second")
					.map((value) -> (long) fields.count(value, 1, 100_000_000))
					.orElse(null));
	}

}
