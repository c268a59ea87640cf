package dev.sluice.lab.scenario;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
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

	private static final Duration NONE = Duration.ZERO;

	private static final Duration MILLISECOND = Duration.ofMillis(1);

	private static final Duration MAX_DELAY = Duration.ofMinutes(10);

	private static final int MAX_ORDERS = 1_000_000;

	private static final int MAX_USERS = 5_000;

	private static final int MAX_QUEUE = 1_000_000;

	private static final String[] ERRORS = { "share", "status" };

	/** Names of the JVM's collectors in a scenario. */
	private static final List<String> COLLECTORS = List.of("G1", "Serial", "Parallel", "ZGC");

	private final String file;

	private ScenarioFile(Path file) {
		this.file = String.valueOf(file.getFileName());
	}

	/**
	 * Reads a file.
	 * @throws ScenarioException if the file is not a scenario
	 * @throws IOException if it cannot be read
	 */
	public static Scenario read(Path file) throws IOException {
		Fields root = Fields.of(file, "question", "target", "backend", "services", "load", "limits");
		return new ScenarioFile(file).scenario(root, file);
	}

	private Scenario scenario(Fields root, Path path) {
		Target target = root.fields("target", TargetFile.KEYS)
			.map((fields) -> TargetFile.target(fields, path))
			.orElse(null);
		if (target != null) {
			root.take("backend").or(() -> root.take("services")).ifPresent((node) -> {
				throw root.refused(node, "a target is measured as it is: leave out 'backend' and 'services'");
			});
		}
		String question = root.text(root.need("question"));
		Optional<Fields> backend = root.fields("backend", "delay", "capacity", "errors");
		BackendBehaviour behaviour = backend.map(this::behaviour).orElse(BackendBehaviour.DEFAULT);
		Services services = services(root.fields("services", "gateways", "heap", "collector", "delivery-concurrency"));
		Load load = load(new Fields(this.file, root.need("load"), "modes", "orders", "rates", "for", "in-flight",
				"items", "deadline", "repetitions"), target != null);
		Limits limits = root.fields("limits", "p99", "failed-calls", "saved-per-second")
			.map(ScenarioFile::limits)
			.orElse(new Limits(null, null, null));
		return new Scenario(this.file.replaceFirst("\\.ya?ml$", ""), question, behaviour, services, load, limits,
				target);
	}

	private static Services services(Optional<Fields> given) {
		List<Variant> gateways = given.map((fields) -> fields.list("gateways",
				(value) -> fields.one(value, names(Stream.of(Variant.values()).map(Variant::id)), Variant::of),
				List.of(Variant.values())))
			.orElse(List.of(Variant.values()));
		String heap = given.flatMap((fields) -> fields.take("heap").map(fields::heap)).orElse("768m");
		String collector = given
			.flatMap((fields) -> fields.take("collector")
				.map((value) -> fields.one(value, names(COLLECTORS.stream()), ScenarioFile::collector)))
			.orElse(collector("G1"));
		long deliveryConcurrency = given
			.flatMap((fields) -> fields.take("delivery-concurrency").map((value) -> fields.count(value, 1, 100_000)))
			.orElse(50L);
		return new Services(gateways, heap, collector, (int) deliveryConcurrency);
	}

	private static Load load(Fields fields, boolean deployed) {
		List<Mode> modes = fields.list("modes",
				(value) -> fields.one(value, names(Stream.of(Mode.values()).map(Mode::label)), Mode::of),
				List.of(Mode.values()));
		List<Orders> sizes = loads(fields);
		if (deployed && sizes.getFirst().perSecond() == 0) {
			throw fields.refused(fields.node(), "a target gets 'rates', as [50/s], with 'for', and not 'orders'");
		}
		if (deployed) {
			Stream.of("in-flight", "items", "deadline").flatMap((key) -> fields.take(key).stream()).forEach((node) -> {
				throw fields.refused(node, "a target gets its orders by the clock: leave this out");
			});
		}
		long users = fields.take("in-flight").map((value) -> fields.count(value, 1, MAX_USERS)).orElse(1_000L);
		long items = fields.take("items").map((value) -> fields.count(value, 1, 100)).orElse((long) Client.ITEMS);
		Duration deadline = fields.take("deadline")
			.map((value) -> fields.duration(value, Duration.ofSeconds(1), Duration.ofMinutes(60)))
			.orElse(Duration.ofMinutes(1));
		long repetitions = fields.take("repetitions").map((value) -> fields.count(value, 1, 100)).orElse(1L);
		return new Load(modes, sizes, (int) users, (int) items, deadline, (int) repetitions);
	}

	private static List<Orders> loads(Fields fields) {
		Optional<Node> rates = fields.take("rates");
		Optional<Node> orders = fields.take("orders");
		if (rates.isPresent() == orders.isPresent()) {
			throw fields.refused(rates.or(() -> orders).orElseGet(fields::node),
					"'load' has either 'orders', as [10, 1000], or 'rates', as [50/s], with 'for'");
		}
		if (orders.isPresent()) {
			return fields.list(orders.get(), (value) -> new Orders((int) fields.count(value, 1, MAX_ORDERS), 0));
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

	private BackendBehaviour behaviour(Fields fields) {
		Delay delay = fields.take("delay")
			.map((value) -> delay(fields, value))
			.orElse(BackendBehaviour.DEFAULT.delay());
		Capacity capacity = fields.take("capacity")
			.map((value) -> capacity(fields, value))
			.orElse(new Capacity.Unlimited());
		BackendBehaviour behaviour = BackendBehaviour.DEFAULT.withDelay(delay).withCapacity(capacity);
		return fields.fields("errors", ERRORS).map((errors) -> errors(errors, behaviour)).orElse(behaviour);
	}

	private static BackendBehaviour errors(Fields fields, BackendBehaviour behaviour) {
		return behaviour.withErrors(fields.share(fields.need("share")),
				(int) fields.take("status").map((value) -> fields.count(value, 400, 599)).orElse(503L).longValue());
	}

	private Delay delay(Fields fields, Node value) {
		if (value instanceof ScalarNode) {
			return new Delay.Fixed(fields.duration(value, NONE, MAX_DELAY).toMillis());
		}
		Fields kind = new Fields(this.file, value, "uniform", "log-normal");
		Optional<Fields> uniform = kind.fields("uniform", "from", "to");
		Optional<Fields> logNormal = kind.fields("log-normal", "median", "p99");
		if (uniform.isPresent() == logNormal.isPresent()) {
			throw fields.refused(value, "'delay' is a time, as 50ms, or one of uniform, log-normal");
		}
		return uniform.<Delay>map((it) -> {
			Duration least = it.duration(it.need("from"), NONE, MAX_DELAY);
			return new Delay.Uniform(least.toMillis(), it.duration(it.need("to"), least, MAX_DELAY).toMillis());
		}).or(() -> logNormal.map((it) -> {
			Duration median = it.duration(it.need("median"), MILLISECOND, MAX_DELAY);
			return new Delay.LogNormal(median.toMillis(), it.duration(it.need("p99"), median, MAX_DELAY).toMillis());
		})).orElseThrow();
	}

	private Capacity capacity(Fields fields, Node value) {
		if (value instanceof ScalarNode) {
			return fields.one(value, "unlimited, or one of workers, starved and rate with their numbers", (text) -> {
				if (!text.equals("unlimited")) {
					throw new IllegalArgumentException(text);
				}
				return new Capacity.Unlimited();
			});
		}
		Fields model = new Fields(this.file, value, "workers", "starved", "rate");
		List<Capacity> capacities = Stream
			.of(model.fields("workers", "threads", "queue").map(ScenarioFile::workers),
					model.fields("starved", "threads", "more-per-second", "most", "queue").map(ScenarioFile::starved),
					model.fields("rate", "limit", "burst").map(ScenarioFile::rate))
			.flatMap(Optional::stream)
			.toList();
		if (capacities.size() != 1) {
			throw fields.refused(value, "'capacity' is unlimited, or one of workers, starved, rate");
		}
		return capacities.getFirst();
	}

	private static Capacity workers(Fields fields) {
		return new Capacity.Workers((int) fields.count(fields.need("threads"), 1, 100_000), queue(fields));
	}

	private static Capacity starved(Fields fields) {
		return new Capacity.Starved((int) fields.count(fields.need("threads"), 1, 100_000),
				fields.take("more-per-second").map((more) -> fields.count(more, 1, 1_000)).orElse(1L),
				(int) fields.take("most").map((most) -> fields.count(most, 1, 100_000)).orElse(1_000L).longValue(),
				queue(fields));
	}

	private static Capacity rate(Fields fields) {
		return new Capacity.Rate(fields.perSecond(fields.need("limit")),
				fields.take("burst").map((burst) -> fields.count(burst, 1, 1_000_000)).orElse(1L).intValue());
	}

	private static int queue(Fields fields) {
		return (int) fields.take("queue").map((value) -> fields.count(value, 0, MAX_QUEUE)).orElse(200L).longValue();
	}

	private static Limits limits(Fields fields) {
		return new Limits(
				fields.take("p99")
					.map((value) -> fields.duration(value, MILLISECOND, MAX_DELAY).toMillis())
					.orElse(null),
				fields.take("failed-calls").map(fields::share).orElse(null),
				fields.take("saved-per-second").map((value) -> fields.count(value, 1, 100_000_000)).orElse(null));
	}

	private static String collector(String name) {
		return switch (name) {
			case "G1", "Serial", "Parallel" -> "-XX:+Use%sGC".formatted(name);
			case "ZGC" -> "-XX:+UseZGC";
			default -> throw new IllegalArgumentException(name);
		};
	}

	private static String names(Stream<String> names) {
		return names.collect(Collectors.joining(", "));
	}

}
