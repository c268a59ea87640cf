package dev.sluice.lab.chaos;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import dev.sluice.lab.chaos.ChaosPlan.Target;
import dev.sluice.lab.chaos.Victim.Misbehaviour;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.chaos.OrderDriver.Gateway;
import org.jspecify.annotations.Nullable;

/**
 * Places orders at a steady rate while faults break the system by plan. Then everything
 * is mended, orders under way arrive, and the answers that clients got are compared with
 * what the backend saved.
 * <p>
 * The backend is the witness: it is killed only if it keeps its orders in PostgreSQL.
 */
final class ChaosExperiment extends Experiment {

	static final String NAME = "chaos";

	/** The gateways, in the order they are tried. */
	static final List<Variant> GATEWAYS = List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

	private static final String BACKEND = "backend";

	private static final String CONSUMER = "consumer";

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private final Settings settings;

	private final ChaosPlan plan;

	private final Trial trial;

	/**
	 * Settings other than the faults.
	 *
	 * @param brokers number of Kafka brokers, 1 or 3
	 * @param store where the backend keeps its orders
	 * @param consumers number of consumers
	 * @param ordering the consumers' {@code delivery.ordering}
	 * @param checking whether the services are started at the least cost
	 * @param load the orders
	 */
	record Settings(int brokers, Store store, int consumers, Ordering ordering, boolean checking, Trial.Workload load) {
	}

	/** Which orders are delivered one after another: the property delivery.ordering. */
	enum Ordering {

		NONE, KEY;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Where the backend keeps its orders: the values of the property backend.store. */
	enum Store {

		MEMORY, POSTGRES;

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	ChaosExperiment(Run run, Infrastructure infrastructure, Settings settings, ChaosPlan plan) {
		super(NAME, run, infrastructure);
		this.settings = settings;
		this.plan = plan;
		this.trial = new Trial(settings.load(), directory(), progress());
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		StackOptions options = this.settings.checking() ? StackOptions.CHECKING : StackOptions.DEFAULT;
		try (Stack stack = stack(options.withBrokers(this.settings.brokers()));
				HttpClient client = Http.client(TIMEOUT)) {
			run(stack, client);
		}
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		return this.trial.result(this.settings.consumers());
	}

	@Override
	protected String summary(RunResult result) {
		return (result.finding() instanceof ChaosResult chaos && chaos.balance() != null)
				? ChaosPage.text(chaos, chaos.balance()) : "";
	}

	@Override
	protected @Nullable String failure(RunResult result) {
		return (result.finding() instanceof ChaosResult chaos) ? this.trial.failure(chaos) : null;
	}

	@Override
	protected Set<Module> modules() {
		return EnumSet.of(Module.BACKEND, Module.CONSUMER, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE);
	}

	private void run(Stack stack, HttpClient client) throws IOException, InterruptedException {
		stack.prepare(modules(), progress()::step);
		progress().step("Starting Kafka, PostgreSQL (%s), the backend, %s consumers and two gateways"
			.formatted(stack.infrastructure().infrastructure(), this.settings.consumers()));
		Map<String, Service> services = start(stack);
		Service backend = Objects.requireNonNull(services.get(BACKEND));
		BackendControl control = new BackendControl(client, backend.uri());
		control.behave(BackendBehaviour.DEFAULT);
		List<Gateway> gateways = GATEWAYS.stream()
			.map((variant) -> new Gateway(variant.id(), Objects.requireNonNull(services.get(variant.id())).uri()))
			.toList();
		Trial.Workload load = this.settings.load();
		this.trial.run(gateways, new OrderIdentity("chaos-" + load.seed(), load.customers()),
				this.plan.against(victims(stack, services, control)), control::savedIfKnown, new BackendWitness(control,
						gateways.getFirst().uri(), () -> unfinished(stack), BackendWitness.Pace.DEFAULT));
	}

	/** With a new connection, as brokers were broken before. */
	private OptionalLong unfinished(Stack stack) throws InterruptedException {
		try (ConsumerGroup delivery = new ConsumerGroup(stack.infrastructure().kafka().bootstrapServers())) {
			return delivery.left();
		}
	}

	private Map<String, Service> start(Stack stack) {
		Map<String, Service> services = new ConcurrentHashMap<>();
		List<Callable<?>> starts = new ArrayList<>();
		starts.add(stack::startInfrastructure);
		ServiceOptions backend = ServiceOptions.NONE.withProperty("backend.store", this.settings.store());
		starts.add(() -> services.put(BACKEND, stack.startBackend(backend)));
		ServiceOptions consumer = ServiceOptions.NONE.withProperty("delivery.ordering", this.settings.ordering());
		for (int number = 1; number <= this.settings.consumers(); number++) {
			int of = number;
			starts.add(() -> services.put(consumer(of), stack.startConsumer(of, consumer)));
		}
		GATEWAYS.forEach((variant) -> starts
			.add(() -> services.put(variant.id(), stack.startGateway(variant, ServiceOptions.NONE))));
		Stack.inParallel(starts);
		return services;
	}

	private static String consumer(int number) {
		return CONSUMER + " " + number;
	}

	private Map<Target, List<Victim>> victims(Stack stack, Map<String, Service> services, BackendControl control) {
		Map<Target, List<Victim>> victims = new EnumMap<>(Target.class);
		victims.put(Target.GATEWAY,
				GATEWAYS.stream()
					.map((variant) -> victim("gateway " + variant.id(), services.get(variant.id()), null))
					.toList());
		victims.put(Target.CONSUMER,
				IntStream.rangeClosed(1, this.settings.consumers())
					.mapToObj(ChaosExperiment::consumer)
					.map((name) -> victim(name, services.get(name), null))
					.toList());
		victims.put(Target.BROKER, brokers(stack.infrastructure().kafka().brokers()));
		victims.put(Target.POSTGRES, List.of(new Victim("postgres", stack.infrastructure().postgres(), null)));
		victims.put(Target.BACKEND, List.of(victim(BACKEND, services.get(BACKEND), new Misbehaving(control))));
		return victims;
	}

	private static List<Victim> brokers(List<Breakable> brokers) {
		if (brokers.size() == 1) {
			return List.of(new Victim("broker", brokers.getFirst(), null));
		}
		return IntStream.range(0, brokers.size())
			.mapToObj((i) -> new Victim("broker " + (i + 1), brokers.get(i), null))
			.toList();
	}

	private static Victim victim(String name, @Nullable Service service, @Nullable Misbehaviour behaviour) {
		return new Victim(name, Objects.requireNonNull(service, name).process(), behaviour);
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("load", this.settings.load().text());
		configuration.put("consumers", String.format(Locale.ROOT, "%s, delivery.ordering=%s, orders of %,d customers",
				this.settings.consumers(), this.settings.ordering(), this.settings.load().customers()));
		configuration.put("client", OrderDriver.text(GATEWAYS));
		configuration.put("seed", Long.toString(this.settings.load().seed()));
		configuration.put("faults planned", Integer.toString(this.plan.faults().size()));
		configuration.put("backend", switch (this.settings.store()) {
			case MEMORY -> "50 ms an order, kept in memory; frozen and made to fail, never killed: it is the witness";
			case POSTGRES ->
				"50 ms an order, kept in the same PostgreSQL as the status; killed like the others: it remembers";
		});
		configuration.put("services' JVM", String.join(" ", StackOptions.JVM_ARGS)
				+ (this.settings.checking() ? " " + StackOptions.CHECKING_JVM_ARG : ""));
		configuration.put("queue", (this.settings.brokers() == 1) ? "Kafka, acks=all, one broker, 12 partitions"
				: "Kafka, acks=all, %1$s brokers, 12 partitions of %1$s copies, of which %2$s must have what is acknowledged"
					.formatted(this.settings.brokers(), this.settings.brokers() - 1));
		return configuration;
	}

	/** Ways in which the backend can misbehave. */
	private record Misbehaving(BackendControl backend) implements Misbehaviour {

		@Override
		public void begin(Kind kind) throws InterruptedException {
			BackendBehaviour well = BackendBehaviour.DEFAULT;
			this.backend.behave(switch (kind) {
				case ERRORS -> well.withErrors(1, 503);
				case HANG -> new BackendBehaviour(new Delay.Fixed(0), 0, 503, 1, 0, 0, new Capacity.Unlimited());
				case RESET -> new BackendBehaviour(new Delay.Fixed(0), 0, 503, 0, 1, 0, new Capacity.Unlimited());
				case KILL, FREEZE, RESTART -> throw new IllegalArgumentException(kind + " is not a behaviour");
			});
		}

		@Override
		public void end() throws InterruptedException {
			this.backend.behave(BackendBehaviour.DEFAULT);
		}

	}

}
