package dev.sluice.lab.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.chaos.Fault.Target;
import dev.sluice.lab.chaos.Fault.Victim;
import dev.sluice.lab.chaos.FaultInjector.Schedule;
import dev.sluice.lab.chaos.OrderDriver.Gateway;
import dev.sluice.lab.kit.plan.OrderIdentity;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.run.LengthOptions;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Variant;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code lab chaos}: places orders at a steady rate while faults break the system by
 * plan. Then everything is mended, orders under way arrive, and the answers that clients
 * got are compared with what the backend saved. Keeps its findings, also if it ends
 * early.
 * <p>
 * The backend is the witness: it is killed only if it keeps its orders in PostgreSQL.
 */
@Command(name = "chaos",
		description = "Kills, freezes and restarts everything while orders come in, then proves that each accepted"
				+ " order was saved once. The backend is the witness: frozen and made to fail, but killed only with"
				+ " --store postgres.",
		footer = { "", "Exit code: 0 the balance holds, 1 it does not or the run is not whole, 2 wrong usage." })
public final class ChaosExperiment extends Experiment {

	private static final int MINUTES = 5;

	private static final double QUICK_MINUTES = 2;

	private static final double RATE = 100;

	private static final double SMALLEST_RATE = 10;

	/** The store of a backend that may be killed. */
	private static final String POSTGRES = "postgres";

	private static final int MAX_ORDERS = 2_000_000;

	/** The gateways, in the order they are tried. */
	private static final List<Variant> GATEWAYS = List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

	/** Number of consumers. */
	private static final int CONSUMERS = 2;

	/** The default of {@code delivery.group-id}. */
	private static final String DELIVERY = "order-delivery";

	private static final int PARTITIONS = 12;

	private static final Duration KAFKA_TIMEOUT = Duration.ofSeconds(10);

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

	@ArgGroup
	private LengthOptions length = new LengthOptions();

	@Option(names = "--minutes", paramLabel = "M", description = "Length of the load. Default: " + MINUTES + ".")
	private @Nullable Double minutes;

	@Option(names = "--rate", paramLabel = "R", description = "Orders per second, by the clock. Default: " + RATE
			+ ", with --smallest " + SMALLEST_RATE + ".")
	private @Nullable Double rate;

	@Option(names = "--seed", paramLabel = "S",
			description = "Start value of the order of the faults. Default: drawn, and printed.")
	private long seed = System.nanoTime() % 1_000_000;

	@Option(names = "--faults", split = ",", paramLabel = "TARGET",
			description = "What to break: ${COMPLETION-CANDIDATES}. Default: all.")
	private Set<Target> targets = EnumSet.allOf(Target.class);

	@Option(names = "--brokers", paramLabel = "B", defaultValue = "1",
			description = "Number of Kafka brokers, 1 or 3. With 3, one at a time is broken. Default: ${DEFAULT-VALUE}.")
	private int brokers = 1;

	@Option(names = "--store", paramLabel = "STORE", defaultValue = "memory",
			description = "Where the backend keeps its orders: memory, postgres. Default: ${DEFAULT-VALUE}.")
	private String store = "memory";

	/** The answers so far; null until the load begins. */
	private @Nullable OrderLedger ledger;

	/** Null until the orders are audited. */
	private LedgerAudit.@Nullable Audited audited;

	private List<ChaosResult.Fault> faults = List.of();

	private long latestMillis;

	@Override
	protected void check() {
		require(Set.of("memory", POSTGRES).contains(this.store), "--store must be memory or postgres");
		require(this.brokers == 1 || this.brokers == 3, "--brokers must be 1 or 3");
		double placed = minutes() * 60 * perSecond();
		require(perSecond() > 0 && perSecond() <= 10_000 && placed >= 1 && placed <= MAX_ORDERS,
				"--rate must be above 0 and at most 10,000, and with --minutes give 1 to %s orders"
					.formatted(MAX_ORDERS));
	}

	@Override
	protected List<String> drawn() {
		return has("--seed") ? List.of() : List.of("--seed", Long.toString(this.seed));
	}

	private double minutes() {
		return (this.minutes != null) ? this.minutes : (this.length.value() == Length.WHOLE) ? MINUTES : QUICK_MINUTES;
	}

	private double perSecond() {
		return (this.rate != null) ? this.rate : (this.length.value() == Length.SMALLEST) ? SMALLEST_RATE : RATE;
	}

	/** The number of orders to place. */
	private int orders() {
		return (int) Math.round(minutes() * 60 * perSecond());
	}

	@Override
	protected void measure() throws IOException, InterruptedException {
		StackOptions options = (this.length.value() == Length.SMALLEST) ? StackOptions.CHECKING : StackOptions.DEFAULT;
		try (Stack stack = stack(options.withBrokers(this.brokers))) {
			run(stack);
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

	private void run(Stack stack) throws IOException, InterruptedException {
		progress().step("Starting Kafka, PostgreSQL (%s), the backend, %s consumers and two gateways"
			.formatted(stack.infrastructure().infrastructure(), CONSUMERS));
		start(stack);
		BackendControl control = new BackendControl(stack.uri(Module.BACKEND));
		control.behave(BackendBehaviour.DEFAULT);
		List<Gateway> gateways = GATEWAYS.stream()
			.map((variant) -> new Gateway(variant.id(), stack.uri(variant.module())))
			.toList();
		OrderIdentity identity = new OrderIdentity("chaos-" + this.seed);
		progress().step(String.format(Locale.ROOT, "Placing %,d orders, %.0f per second, during faults (seed %d)",
				orders(), perSecond(), this.seed));
		Path directory = directory().path();
		try (OrderLedger answers = new OrderLedger(orders(), SYNC_SHARE, directory.resolve("attempts.csv"))) {
			this.ledger = answers;
			long startMillis = System.currentTimeMillis();
			long start = System.nanoTime();
			Duration length = Duration.ofMillis(Math.round(orders() / perSecond() * 1_000));
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
			driver.run(perSecond(), () -> {
				progress().during("%s of %s orders placed".formatted(driver.placed(), orders()));
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

	/**
	 * The number of records of {@code orders} that the consumers have not committed;
	 * empty if Kafka does not know at the moment, for example while their group has no
	 * coordinator. With a new connection, as brokers were broken before.
	 * @throws LabException if a retry cannot help
	 */
	private static OptionalLong unfinished(Stack stack) {
		Set<TopicPartition> partitions = IntStream.range(0, PARTITIONS)
			.mapToObj((number) -> new TopicPartition(Topics.ORDERS, number))
			.collect(Collectors.toSet());
		// Of the group, but no member: it asks and reads nothing.
		try (KafkaConsumer<byte[], byte[]> kafka = new KafkaConsumer<>(
				Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.infrastructure().kafka().bootstrapServers(),
						ConsumerConfig.GROUP_ID_CONFIG, DELIVERY, ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG,
						Math.toIntExact(Patience.of(KAFKA_TIMEOUT).toMillis())),
				new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
			long ends = kafka.endOffsets(partitions).values().stream().mapToLong(Long::longValue).sum();
			return OptionalLong.of(ends - kafka.committed(partitions)
				.values()
				.stream()
				.filter(Objects::nonNull)
				.mapToLong(OffsetAndMetadata::offset)
				.sum());
		}
		catch (RetriableException _) {
			return OptionalLong.empty();
		}
		catch (KafkaException ex) {
			throw new LabException("Kafka cannot say how far %s has read: %s".formatted(DELIVERY, ex), ex);
		}
	}

	private void start(Stack stack) {
		List<Callable<?>> starts = new ArrayList<>();
		starts.add(stack::startInfrastructure);
		ServiceOptions backend = ServiceOptions.NONE.withProperty("backend.store", this.store);
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
		Random random = new Random(this.seed);
		return () -> Fault.round(victims, this.store.equals(POSTGRES), random);
	}

	/** Always in the same order. */
	private List<Victim> victims(Stack stack) {
		List<Victim> victims = new ArrayList<>(
				List.of(new Victim(Target.POSTGRES, "PostgreSQL", stack.infrastructure().postgres().server())));
		stack.services()
			.forEach((service) -> victims.add(new Victim(target(service.module()), service.name(), service.process())));
		List<Breakable> brokers = stack.infrastructure().kafka().brokers();
		for (Breakable broker : brokers) {
			victims.add(new Victim(Target.BROKER,
					(brokers.size() == 1) ? "broker" : "broker " + (brokers.indexOf(broker) + 1), broker));
		}
		return victims.stream()
			.filter((victim) -> this.targets.contains(victim.target()))
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
