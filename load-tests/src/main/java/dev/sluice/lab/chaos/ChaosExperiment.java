package dev.sluice.lab.chaos;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.chaos.Fault.Target;
import dev.sluice.lab.chaos.Fault.Victim;
import dev.sluice.lab.chaos.FaultInjector.Schedule;
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
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.chaos.OrderDriver.Gateway;
import org.jspecify.annotations.Nullable;

/**
 * Places orders at a steady rate while faults break the system by plan. Then everything
 * is mended, orders under way arrive, and the answers that clients got are compared with
 * what the backend saved. Keeps its findings, also if it ends early.
 * <p>
 * The backend is the witness: it is killed only if it keeps its orders in PostgreSQL.
 */
final class ChaosExperiment extends Experiment {

	static final String NAME = "chaos";

	/** The gateways, in the order they are tried. */
	private static final List<Variant> GATEWAYS = List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

	/** Number of consumers. */
	private static final int CONSUMERS = 2;

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	/** Share of the orders that are placed synchronously. */
	private static final double SYNC_SHARE = 0.2;

	/** Time for accepted orders to arrive after the load. */
	private static final Duration DRAIN = Duration.ofSeconds(180);

	/**
	 * Maximum time from the end of the load until all faults are over, in start timeouts.
	 * Each fault has a deadline of its own; several may still have to happen one after
	 * another.
	 */
	private static final int HEAL_STARTS = 3;

	private static final Duration LEAD = Duration.ofSeconds(5);

	private static final Duration TAIL = Duration.ofSeconds(10);

	private static final Duration MAX_PAUSE = Duration.ofSeconds(8);

	/** So that a load of two minutes meets a round of faults, and not an idle system. */
	private static final int MIN_PAUSES = 35;

	private static final int MAX_VIOLATIONS = 20;

	/** File in the run's directory with all orders that break the balance. */
	private static final String VIOLATIONS = "violations.csv";

	private final Settings settings;

	/** The answers so far; null until the load begins. */
	private @Nullable OrderLedger ledger;

	/** Null until the orders are audited. */
	private LedgerAudit.@Nullable Audited audited;

	private List<ChaosResult.Fault> faults = List.of();

	private long latestMillis;

	/**
	 * The chosen settings.
	 *
	 * @param orders to place
	 * @param ratePerSecond orders due each second
	 * @param targets what to break
	 * @param brokers number of Kafka brokers, 1 or 3
	 * @param store where the backend keeps its orders
	 * @param checking whether the services are started at the least cost
	 * @param seed seed of the faults
	 */
	record Settings(int orders, double ratePerSecond, Set<Target> targets, int brokers, Store store, boolean checking,
			long seed) {

		/** Length of the load without delays. */
		Duration length() {
			return Duration.ofMillis(Math.round(this.orders / this.ratePerSecond * 1_000));
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

	ChaosExperiment(Run run, Infrastructure infrastructure, Settings settings) {
		super(NAME, run, infrastructure);
		this.settings = settings;
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
	protected Finding finding() {
		OrderLedger answers = this.ledger;
		LedgerAudit.Audited found = this.audited;
		return new ChaosResult((found != null) ? found.balance() : null, this.faults,
				(answers != null) ? answers.seconds() : List.of(),
				(found != null) ? found.violations().stream().limit(MAX_VIOLATIONS).toList() : List.of(),
				this.latestMillis);
	}

	@Override
	protected @Nullable String failure(RunResult result) {
		return (result.finding() instanceof ChaosResult chaos) ? failure(chaos, directory().path()) : null;
	}

	/**
	 * Why a run to the end has failed nevertheless; null if it has not.
	 * @param directory the run's, with the files to look at
	 */
	static @Nullable String failure(ChaosResult chaos, Path directory) {
		if (chaos.holds()) {
			return (chaos.balance() != null && chaos.balance().accepted() == 0)
					? "No order was accepted, so nothing is proved: see the answers in "
							+ directory.resolve("attempts.csv")
					: null;
		}
		return "The balance does not hold; all orders that break it are in " + directory.resolve(VIOLATIONS);
	}

	private void run(Stack stack, HttpClient client) throws IOException, InterruptedException {
		progress().step("Starting Kafka, PostgreSQL (%s), the backend, %s consumers and two gateways"
			.formatted(stack.infrastructure().infrastructure(), CONSUMERS));
		start(stack);
		BackendControl control = new BackendControl(client, stack.uri(Module.BACKEND));
		control.behave(BackendBehaviour.DEFAULT);
		List<Gateway> gateways = GATEWAYS.stream()
			.map((variant) -> new Gateway(variant.id(), stack.uri(variant.module())))
			.toList();
		OrderIdentity identity = new OrderIdentity("chaos-" + this.settings.seed());
		progress().step(String.format(Locale.ROOT, "Placing %,d orders, %.0f per second, during faults (seed %d)",
				this.settings.orders(), this.settings.ratePerSecond(), this.settings.seed()));
		Path directory = directory().path();
		try (OrderLedger answers = new OrderLedger(this.settings.orders(), SYNC_SHARE,
				directory.resolve("attempts.csv"))) {
			this.ledger = answers;
			long startMillis = System.currentTimeMillis();
			long start = System.nanoTime();
			Duration length = this.settings.length();
			Duration pause = length.dividedBy(MIN_PAUSES);
			Schedule schedule = new Schedule(start, LEAD, length.minus(TAIL),
					(pause.compareTo(MAX_PAUSE) < 0) ? pause : MAX_PAUSE);
			int placed = place(new OrderDriver(gateways, identity, answers, start, OrderDriver.FIRST_PAUSE),
					new FaultInjector(rounds(stack), schedule, control, progress()));
			progress().step("Everything runs again; waiting for orders under way");
			this.audited = new LedgerAudit(answers, identity, control, gateways.getFirst().uri(),
					() -> unfinished(stack), LedgerAudit.POLL)
				.run(placed, Patience.of(DRAIN), progress()::during);
			this.audited.savedMicros().forEach((micros) -> answers.saved(micros / 1_000 - startMillis));
			Files.write(directory.resolve(VIOLATIONS),
					Stream.concat(Stream.of("id,what,order"), this.audited.violations().stream()).toList());
		}
	}

	/**
	 * Places the orders; returns their number when everything that was broken runs again.
	 */
	private int place(OrderDriver driver, FaultInjector injector) throws InterruptedException {
		try (driver; injector) {
			driver.run(this.settings.ratePerSecond(), () -> {
				progress().during("%s of %s orders placed".formatted(driver.placed(), this.settings.orders()));
				injector.check();
			});
			progress().step("The load has ended: %s orders placed".formatted(driver.placed()));
			injector.awaitHealed(DevServices.startTimeout().multipliedBy(HEAL_STARTS));
			return driver.placed();
		}
		finally {
			this.latestMillis = driver.latestMillis();
			this.faults = injector.done();
		}
	}

	/** With a new connection, as brokers were broken before. */
	private OptionalLong unfinished(Stack stack) throws InterruptedException {
		try (ConsumerGroup delivery = new ConsumerGroup(stack.infrastructure().kafka().bootstrapServers())) {
			return delivery.left();
		}
	}

	private void start(Stack stack) {
		List<Callable<?>> starts = new ArrayList<>();
		starts.add(stack::startInfrastructure);
		ServiceOptions backend = ServiceOptions.NONE.withProperty("backend.store", this.settings.store());
		starts.add(() -> stack.startBackend(backend));
		for (int number = 1; number <= CONSUMERS; number++) {
			int of = number;
			starts.add(() -> stack.startConsumer(of, ServiceOptions.NONE));
		}
		GATEWAYS.forEach((variant) -> starts.add(() -> stack.startGateway(variant, ServiceOptions.NONE)));
		Stack.inParallel(starts);
	}

	/** Rounds of the chosen faults, which the seed repeats. */
	private Supplier<List<Fault>> rounds(Stack stack) {
		List<Victim> victims = victims(stack);
		Random random = new Random(this.settings.seed());
		return () -> Fault.round(victims, this.settings.store() == Store.POSTGRES, random);
	}

	/** Always in the same order. */
	private List<Victim> victims(Stack stack) {
		List<Victim> victims = new ArrayList<>(
				List.of(new Victim(Target.POSTGRES, "PostgreSQL", stack.infrastructure().postgres())));
		stack.services()
			.forEach((service) -> victims.add(new Victim(target(service.module()), service.name(), service.process())));
		List<Breakable> brokers = stack.infrastructure().kafka().brokers();
		for (Breakable broker : brokers) {
			victims.add(new Victim(Target.BROKER,
					(brokers.size() == 1) ? "broker" : "broker " + (brokers.indexOf(broker) + 1), broker));
		}
		return victims.stream()
			.filter((victim) -> this.settings.targets().contains(victim.target()))
			.sorted(Comparator.comparing(Victim::name))
			.toList();
	}

	private static Target target(Module module) {
		return switch (module) {
			case BACKEND -> Target.BACKEND;
			case CONSUMER -> Target.CONSUMER;
			case GATEWAY_SERVLET, GATEWAY_REACTIVE -> Target.GATEWAY;
			case SINK -> throw new IllegalStateException("No sink is started");
		};
	}

}
