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
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Capacity;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.chaos.ChaosPlan.Kind;
import dev.sluice.lab.chaos.ChaosPlan.Target;
import dev.sluice.lab.chaos.FaultInjector.Misbehaviour;
import dev.sluice.lab.chaos.FaultInjector.Victim;
import dev.sluice.lab.kit.measure.SavedSampler;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.Run;
import dev.sluice.lab.kit.run.SourceOption;
import dev.sluice.lab.kit.run.SourceOption.Source;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;
import org.jspecify.annotations.Nullable;

/**
 * Orders are placed at a steady rate while the system is broken by plan; then everything
 * is mended, what is under way arrives, and what clients were told is held against what
 * the backend has.
 * <p>
 * The backend is the witness: it is killed only where it keeps its orders in PostgreSQL.
 */
final class ChaosExperiment extends Experiment {

	static final String NAME = "chaos";

	/** The gateways, in the order they are tried. */
	static final List<Variant> GATEWAYS = List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

	private static final String BACKEND = "backend";

	private static final String CONSUMER = "consumer";

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Beyond the longest fault and the start of what was killed. */
	private static final long HEAL_MILLIS = 180_000;

	/** Between two faults of the same victim, for its recovery to be seen. */
	private static final long REST_MILLIS = 5_000;

	private static final int VIOLATIONS_TOLD = 20;

	/** The load goes on for this long after the last fault. */
	private static final double SEEN_SECONDS = 5;

	/** Where faults take longer than planned, the load is at most so much longer. */
	private static final int LONGER = 3;

	private final Settings settings;

	private final ChaosPlan plan;

	private final Outcome outcome = new Outcome();

	/**
	 * What is chosen beside the faults.
	 *
	 * @param brokers that Kafka has, 1 or 3
	 * @param store where the backend keeps its orders
	 * @param consumers that share the work
	 * @param ordering that they keep
	 * @param customers that place the orders
	 * @param orders to be placed
	 * @param ratePerSecond orders due each second
	 * @param syncShare share of them placed synchronously, 0 to 1
	 * @param seed of the plan
	 * @param source how the consumer reads
	 * @param drainMillis for accepted orders to arrive after the load, in milliseconds
	 */
	record Settings(int brokers, Store store, int consumers, Ordering ordering, int customers, int orders,
			double ratePerSecond, double syncShare, long seed, Source source, long drainMillis) {
	}

	/** Which orders are delivered one after another: the property delivery.ordering. */
	enum Ordering {

		NONE, KEY;

		/** Whether the orders of a customer are. */
		boolean isPerCustomer() {
			return switch (this) {
				case NONE -> false;
				case KEY -> true;
			};
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	/** Where the backend keeps its orders: what its property backend.store says. */
	enum Store {

		MEMORY, POSTGRES;

		/** Whether they are there after a kill. */
		boolean remembers() {
			return switch (this) {
				case MEMORY -> false;
				case POSTGRES -> true;
			};
		}

		@Override
		public String toString() {
			return name().toLowerCase(Locale.ROOT);
		}

	}

	ChaosExperiment(Run run, Infrastructure infrastructure, Settings settings, ChaosPlan plan) {
		super(NAME, run, infrastructure);
		this.settings = settings;
		this.plan = plan;
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (Stack stack = stack(Stack.builder()
			.brokers(this.settings.brokers())
			.property(SourceOption.PROPERTY, this.settings.source())); HttpClient client = Http.client(TIMEOUT)) {
			run(stack, client);
		}
	}

	@Override
	protected Finding finding(@Nullable String partial) {
		return this.outcome.result(this.settings);
	}

	@Override
	protected String summary(RunResult result) {
		return (result.finding() instanceof ChaosResult chaos && chaos.balance() != null)
				? BalanceText.of(chaos, chaos.balance()) : "";
	}

	@Override
	protected @Nullable String failure(RunResult result) {
		if (!(result.finding() instanceof ChaosResult chaos) || chaos.holds()) {
			return null;
		}
		if (chaos.balance() != null && chaos.balance().holds() && chaos.customerOrder() != null
				&& chaos.customerOrder().inversions() == 0) {
			return "Nothing is known of the order per customer: no order was sent after another one of its customer was"
					+ " accepted; take fewer --customers";
		}
		return "The balance does not hold; all orders that break it are in "
				+ directory().path().resolve("violations.csv");
	}

	@Override
	protected Set<Module> modules() {
		return EnumSet.of(Module.BACKEND, Module.CONSUMER, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE);
	}

	private void run(Stack stack, HttpClient client) throws IOException, InterruptedException {
		stack.prepare(modules(), progress()::step);
		progress().step("Starting Kafka, PostgreSQL (%s), the backend, %d consumers and two gateways"
			.formatted(stack.infrastructure().infrastructure(), this.settings.consumers()));
		Map<String, Service> services = start(stack);
		Service backend = Objects.requireNonNull(services.get(BACKEND));
		BackendControl control = new BackendControl(client, backend.uri());
		control.behave(BackendBehaviour.DEFAULT);
		List<OrderDriver.Gateway> gateways = GATEWAYS.stream()
			.map((variant) -> new OrderDriver.Gateway(variant.id(),
					Objects.requireNonNull(services.get(variant.id())).uri()))
			.toList();
		progress().step(
				"Placing %,d orders, %.0f a second, while %d faults happen (seed %d)".formatted(this.settings.orders(),
						this.settings.ratePerSecond(), this.plan.faults().size(), this.settings.seed()));
		OrderIdentity identity = new OrderIdentity("chaos-" + this.settings.seed(), this.settings.customers());
		try (OrderLedger ledger = new OrderLedger(LONGER * this.settings.orders(), this.settings.syncShare(),
				directory().path().resolve("attempts.csv"))) {
			this.outcome.ledger = ledger;
			long start = System.nanoTime();
			SavedSampler sampler = new SavedSampler(control::savedIfTold, start);
			try (sampler) {
				int placed = load(stack, services, control, gateways, identity, ledger, start);
				progress().step("Everything runs again; waiting for what is under way");
				try (ConsumerGroup delivery = ConsumerGroup.delivery(stack.infrastructure().kafka().bootstrapServers(),
						this.settings.source());
						LedgerAudit audit = new LedgerAudit(ledger, identity, backend.uri(), gateways.getFirst().uri(),
								placed, delivery::left)) {
					this.outcome.finding = audit.run(this.settings.drainMillis(), progress()::now);
				}
				LedgerAudit.write(violations(this.outcome.finding, this.settings),
						directory().path().resolve("violations.csv"));
			}
			finally {
				this.outcome.saved = sampler.perSecond();
			}
			if (sampler.failure() != null) {
				throw new LabException("What was saved could not be counted all the time: " + sampler.failure());
			}
		}
	}

	/** An order that overtakes is one where order is promised. */
	private static List<String> violations(LedgerAudit.Finding finding, Settings settings) {
		return settings.ordering().isPerCustomer()
				? Stream.concat(finding.violations().stream(), finding.perCustomer().overtaking().stream()).toList()
				: finding.violations();
	}

	private int load(Stack stack, Map<String, Service> services, BackendControl control,
			List<OrderDriver.Gateway> gateways, OrderIdentity identity, OrderLedger ledger, long start)
			throws InterruptedException {
		try (OrderDriver driver = new OrderDriver(gateways, identity, ledger, start);
				FaultInjector faults = new FaultInjector(this.plan, victims(stack, services, control), start,
						REST_MILLIS, progress())) {
			try {
				driver.run(this.settings.ratePerSecond(), new Length(faults, driver));
				faults.awaitHealed(HEAL_MILLIS);
				return driver.placed();
			}
			finally {
				this.outcome.latestMillis = driver.latestMillis();
				this.outcome.faults = faults.done();
			}
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
					.map((variant) -> victim("gateway " + variant.id(), stack, services.get(variant.id()), null))
					.toList());
		victims.put(Target.CONSUMER,
				IntStream.rangeClosed(1, this.settings.consumers())
					.mapToObj(ChaosExperiment::consumer)
					.map((name) -> victim(name, stack, services.get(name), null))
					.toList());
		victims.put(Target.BROKER, brokers(stack.infrastructure().kafka().brokers()));
		victims.put(Target.POSTGRES, List.of(new Victim("postgres", stack.infrastructure().postgres(), null)));
		victims.put(Target.BACKEND, List.of(victim(BACKEND, stack, services.get(BACKEND), new Misbehaving(control))));
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

	private static Victim victim(String name, Stack stack, @Nullable Service service,
			@Nullable Misbehaviour behaviour) {
		return new Victim(name, stack.breakable(Objects.requireNonNull(service, name)), behaviour);
	}

	@Override
	protected Map<String, String> configuration() {
		Map<String, String> configuration = new TreeMap<>();
		configuration.put("load", "open: %.1f orders a second by the clock, %.0f %% of them sync"
			.formatted(this.settings.ratePerSecond(), this.settings.syncShare() * 100));
		configuration.put("consumers", "%d, delivery.ordering=%s, orders of %,d customers"
			.formatted(this.settings.consumers(), this.settings.ordering(), this.settings.customers()));
		configuration.put("client",
				"%d attempts at most, in turn at %s, after pauses from 1 s, doubled, of which the second half is drawn"
					.formatted(OrderDriver.ATTEMPTS, GATEWAYS));
		configuration.put("source", this.settings.source().toString());
		configuration.put("seed", Long.toString(this.settings.seed()));
		configuration.put("faults planned", Integer.toString(this.plan.faults().size()));
		configuration.put("backend", switch (this.settings.store()) {
			case MEMORY -> "50 ms an order, kept in memory; frozen and made to fail, never killed: it is the witness";
			case POSTGRES ->
				"50 ms an order, kept in the same PostgreSQL as the status; killed like the others: it remembers";
		});
		configuration.put("services' JVM", String.join(" ", Stack.JVM_ARGS));
		configuration.put("queue", (this.settings.brokers() == 1) ? "Kafka, acks=all, one broker, 12 partitions"
				: "Kafka, acks=all, %1$d brokers, 12 partitions of %1$d copies, of which %2$d must have what is acknowledged"
					.formatted(this.settings.brokers(), this.settings.brokers() - 1));
		return configuration;
	}

	/**
	 * How many orders are placed: those asked for, and more while faults are not over, so
	 * that each happens under load and its end is seen.
	 */
	private final class Length implements IntPredicate {

		private final FaultInjector faults;

		private final OrderDriver driver;

		private long until;

		Length(FaultInjector faults, OrderDriver driver) {
			this.faults = faults;
			this.driver = driver;
			this.until = ChaosExperiment.this.settings.orders();
		}

		@Override
		public boolean test(int order) {
			Settings settings = ChaosExperiment.this.settings;
			progress().now("%,d of %,d orders placed".formatted(this.driver.placed(), settings.orders()));
			if (!this.faults.isOver()) {
				this.until = Math.max(this.until, order + Math.round(SEEN_SECONDS * settings.ratePerSecond()));
			}
			return this.faults.isWell() && order < this.until;
		}

	}

	/** What is known by now; a run that ends early lacks some of it. */
	private static final class Outcome {

		private @Nullable OrderLedger ledger;

		private LedgerAudit.@Nullable Finding finding;

		private List<FaultInjector.Done> faults = List.of();

		private List<@Nullable Integer> saved = List.of();

		private long latestMillis;

		ChaosResult result(Settings settings) {
			OrderLedger entered = this.ledger;
			if (entered == null) {
				return new ChaosResult(settings.seed(), settings.ratePerSecond(), settings.syncShare(), null, null,
						List.of(), List.of(), List.of(), 0);
			}
			int[] sync = entered.acceptedMillis(Mode.SYNC);
			int[] queued = entered.acceptedMillis(Mode.QUEUED);
			List<ChaosResult.Fault> told = this.faults.stream()
				.map((fault) -> new ChaosResult.Fault(fault.target(), fault.kind().toString(), fault.beganMillis(),
						fault.healedMillis(), Outage.longest(sync, fault.beganMillis(), fault.healedMillis()),
						Outage.longest(queued, fault.beganMillis(), fault.healedMillis())))
				.toList();
			LedgerAudit.Finding found = this.finding;
			return new ChaosResult(settings.seed(), settings.ratePerSecond(), settings.syncShare(),
					(found != null) ? found.balance() : null, (found != null) ? customerOrder(found, settings) : null,
					told, entered.seconds(this.saved),
					(found != null) ? violations(found, settings).stream().limit(VIOLATIONS_TOLD).toList() : List.of(),
					this.latestMillis);
		}

		private static ChaosResult.CustomerOrder customerOrder(LedgerAudit.Finding found, Settings settings) {
			return new ChaosResult.CustomerOrder(settings.ordering().isPerCustomer(), settings.customers(),
					settings.consumers(), found.perCustomer().compared(), found.perCustomer().overtaking().size());
		}

	}

	/** What the backend may be made to do. */
	private record Misbehaving(BackendControl backend) implements Misbehaviour {

		@Override
		public void begin(Kind kind) throws InterruptedException {
			BackendBehaviour well = BackendBehaviour.DEFAULT;
			this.backend.behave(switch (kind) {
				case ERRORS -> well.withErrors(1, 503);
				case HANG -> new BackendBehaviour(new Delay.Fixed(0), 0, 0, 503, 1, 0, 0, new Capacity.Unlimited());
				case RESET -> new BackendBehaviour(new Delay.Fixed(0), 0, 0, 503, 0, 1, 0, new Capacity.Unlimited());
				case KILL, FREEZE, RESTART -> throw new IllegalArgumentException(kind + " is no behaviour");
			});
		}

		@Override
		public void end() throws InterruptedException {
			this.backend.behave(BackendBehaviour.DEFAULT);
		}

	}

}
