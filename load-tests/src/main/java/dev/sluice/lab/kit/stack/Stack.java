package dev.sluice.lab.kit.stack;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.devservices.StartFailedException;
import org.jspecify.annotations.Nullable;

/**
 * The system on this machine: one Kafka (of one broker or three), one PostgreSQL, and
 * services as child JVMs that know each other's addresses. Each service is started and
 * stopped alone; all have the same heap and collector unless a start says otherwise.
 * Ports are fixed when the stack is made, so a service may start before the services it
 * needs: it waits for them.
 * <p>
 * Thread-safe: services may start concurrently, and {@link #close} on another thread also
 * ends those that are starting.
 */
public final class Stack implements AutoCloseable {

	/**
	 * The same for every service, so that they can be compared. One that runs out of
	 * memory exits, instead of continuing with some of its threads.
	 */
	public static final List<String> JVM_ARGS = List.of("-Xms384m", "-Xmx384m", "-XX:+UseG1GC",
			"-XX:+ExitOnOutOfMemoryError");

	/** Of services that are not measured: without the compiler that optimizes. */
	public static final String CHECKING_JVM_ARG = "-XX:TieredStopAtLevel=1";

	/** The distance between the fixed ports of two brokers. */
	private static final int BROKER_OFFSET = 100;

	/** The longest graceful shutdown: 20 s to drain, and what follows. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(40);

	private final Workspace workspace;

	private final Path directory;

	private final List<String> jvmArgs;

	private final boolean prepared;

	private final Map<String, String> properties;

	private final Map<Module, Integer> ports;

	private final Map<Module, Integer> managementPorts;

	private final int sinkPort;

	/** A port for each broker. */
	private final List<Integer> kafkaPorts;

	private final int postgresPort;

	private final DevServices infrastructure;

	/** Running services in the order of their starts; guarded by itself. */
	private final List<Running> running = new ArrayList<>();

	private boolean closed;

	private Stack(Builder builder) {
		this.workspace = (builder.workspace != null) ? builder.workspace : Workspace.find();
		this.directory = builder.directory;
		this.jvmArgs = List.copyOf(builder.jvmArgs);
		this.prepared = builder.prepared;
		this.properties = Map.copyOf(builder.properties);
		this.ports = new EnumMap<>(Module.class);
		this.managementPorts = new EnumMap<>(Module.class);
		for (Module module : Module.values()) {
			this.ports.put(module, builder.port(module.port()));
			if (module.hasManagementPort()) {
				this.managementPorts.put(module, builder.port(module.managementPort()));
			}
		}
		this.sinkPort = builder.port(Module.SINK_GRPC_PORT);
		this.kafkaPorts = IntStream.range(0, builder.brokers)
			.map((broker) -> builder.port(Module.KAFKA_PORT + broker * BROKER_OFFSET))
			.boxed()
			.toList();
		this.postgresPort = builder.port(Module.POSTGRES_PORT);
		this.infrastructure = DevServices.builder()
			.infrastructure(builder.infrastructure)
			.kafkaPorts(this.kafkaPorts)
			.postgresPort(this.postgresPort)
			.start();
	}

	public static Builder builder() {
		return new Builder();
	}

	/** Kafka and PostgreSQL, each started when first asked for. */
	public DevServices infrastructure() {
		return this.infrastructure;
	}

	/** Starts Kafka and PostgreSQL concurrently, and returns when both are ready. */
	public Stack startInfrastructure() {
		inParallel(List.of(this.infrastructure::kafka, this.infrastructure::postgres));
		return this;
	}

	/**
	 * Makes these modules start fast, once after each build, which takes about half a
	 * minute. Otherwise they start from their jars, so a failure is only reported. Does
	 * nothing if the stack is {@link Builder#unprepared}.
	 * @param modules those that will be started
	 * @param progress receives a message if there is something to do
	 * @throws LabException if this thread is interrupted
	 */
	public void prepare(Set<Module> modules, Consumer<String> progress) {
		if (!this.prepared) {
			return;
		}
		List<Path> jars = modules.stream()
			.map(this.workspace::jar)
			.filter((jar) -> FastStart.find(jar).isEmpty())
			.toList();
		if (!jars.isEmpty()) {
			progress.accept("Preparing a fast start, once after each build");
			try {
				inParallel(jars.stream().map(Stack::prepare).toList());
			}
			catch (LabException | StartFailedException ex) {
				if (Thread.currentThread().isInterrupted()) {
					throw ex;
				}
				progress.accept("The services start slower than they could: " + ex.getMessage());
			}
		}
	}

	private static Callable<?> prepare(Path jar) {
		return () -> {
			FastStart.make(jar);
			return jar;
		};
	}

	/** Starts the backend; like the other methods, returns when it is ready. */
	public Service startBackend(ServiceOptions options) {
		boolean postgres = "postgres".equals(options.properties().get("backend.store"));
		return start(Module.BACKEND, Module.BACKEND.directory(), postgres ? jdbc() : Map.of(), options);
	}

	/** Starts the order-consumer. */
	public Service startConsumer(ServiceOptions options) {
		return start(Module.CONSUMER, Module.CONSUMER.directory(), consumer(), options);
	}

	/**
	 * Starts an order-consumer next to others of the same group, on a free port.
	 * @param number its number, in its name and its log's
	 */
	public Service startConsumer(int number, ServiceOptions options) {
		return start(Module.CONSUMER, "%s-%d".formatted(Module.CONSUMER.directory(), number), Ports.free(), consumer(),
				options);
	}

	private Map<String, String> consumer() {
		Map<String, String> own = new LinkedHashMap<>(kafka());
		own.putAll(jdbc());
		own.put("backend.url", uri(Module.BACKEND).toString());
		return own;
	}

	/** Starts a gateway: one servlet and one reactive gateway can run at once. */
	public Service startGateway(Variant variant, ServiceOptions options) {
		return start(variant.module(), variant.id(), gateway(variant), options);
	}

	/** Starts a gateway next to others, on free ports. */
	public Service startAnotherGateway(Variant variant, ServiceOptions options) {
		return start(variant.module(), variant.id(), Ports.free(), gateway(variant),
				options.withProperty(ServiceOptions.MANAGEMENT_PORT, Ports.free()));
	}

	private Map<String, String> gateway(Variant variant) {
		Map<String, String> own = new LinkedHashMap<>(kafka());
		own.putAll(switch (variant.module()) {
			case GATEWAY_REACTIVE -> r2dbc();
			case GATEWAY_SERVLET, BACKEND, CONSUMER, SINK -> jdbc();
		});
		own.put("backend.url", uri(Module.BACKEND).toString());
		own.putAll(variant.properties());
		return own;
	}

	/** Starts the gRPC sink. */
	public Service startSink(ServiceOptions options) {
		Map<String, String> own = new LinkedHashMap<>(kafka());
		own.put("spring.grpc.server.port", Integer.toString(this.sinkPort));
		return start(Module.SINK, Module.SINK.directory(), own, options);
	}

	/**
	 * A service of this stack as a {@link Breakable}. Started again, it has the same
	 * command, port and log, and still belongs to this stack.
	 */
	public Breakable breakable(Service service) {
		return new BreakableService(service);
	}

	private Service relaunch(Service ended) {
		synchronized (this.running) {
			if (this.closed) {
				throw new LabException("%s is not started again: the stack is closed".formatted(ended.name()));
			}
			Service again = new Service(ended.name(), ended.uri(), ended.management(), ended.process().relaunch());
			this.running.replaceAll((entry) -> (entry.service() == ended) ? new Running(entry.module(), again) : entry);
			return again;
		}
	}

	/** The HTTP address of a module when it runs. */
	public URI uri(Module module) {
		return uri(port(module));
	}

	private static URI uri(int port) {
		return URI.create("http://127.0.0.1:" + port);
	}

	private int port(Module module) {
		Integer port = this.ports.get(module);
		if (port == null) {
			throw new IllegalStateException("no port for " + module);
		}
		return port;
	}

	/** The gRPC address of the sink when it runs: {@code host:port}. */
	public String sinkTarget() {
		return "127.0.0.1:" + this.sinkPort;
	}

	/** The directory of the logs. */
	public Path directory() {
		return this.directory;
	}

	/** The services that run, in the order of their starts. */
	public List<Service> services() {
		synchronized (this.running) {
			return this.running.stream().map(Running::service).filter(Service::isAlive).toList();
		}
	}

	/**
	 * Every port that is needed, by the process that needs it, to be checked before a
	 * start.
	 */
	public Map<String, Integer> ports() {
		Map<String, Integer> all = new LinkedHashMap<>();
		all.put("Kafka", this.kafkaPorts.getFirst());
		for (int broker = 2; broker <= this.kafkaPorts.size(); broker++) {
			all.put("Kafka's broker " + broker, this.kafkaPorts.get(broker - 1));
		}
		all.put("PostgreSQL", this.postgresPort);
		this.ports.forEach((module, port) -> all.put(module.directory(), port));
		this.managementPorts.forEach((module, port) -> all.put(module.directory() + " (management)", port));
		all.put(Module.SINK.directory() + " (gRPC)", this.sinkPort);
		return all;
	}

	/** The documented ports, by process. */
	public static Map<String, Integer> defaultPorts() {
		Map<String, Integer> all = new LinkedHashMap<>();
		all.put("Kafka", Module.KAFKA_PORT);
		all.put("PostgreSQL", Module.POSTGRES_PORT);
		for (Module module : Module.values()) {
			all.put(module.directory(), module.port());
			if (module.hasManagementPort()) {
				all.put(module.directory() + " (management)", module.managementPort());
			}
		}
		all.put(Module.SINK.directory() + " (gRPC)", Module.SINK_GRPC_PORT);
		return all;
	}

	private Map<String, String> kafka() {
		String brokers = switch (this.infrastructure.infrastructure()) {
			// Known before it runs, so services that need it can start at the same time.
			case EMBEDDED ->
				this.kafkaPorts.stream().map((port) -> "127.0.0.1:" + port).collect(Collectors.joining(","));
			case CONTAINERS, AUTO -> this.infrastructure.kafka().bootstrapServers();
		};
		String copies = Integer.toString(this.kafkaPorts.size());
		return Map.of("spring.kafka.bootstrap-servers", brokers, "queue.replication-factor", copies,
				"sink.topic.replication-factor", copies);
	}

	private String postgres() {
		return switch (this.infrastructure.infrastructure()) {
			case EMBEDDED -> "postgresql://127.0.0.1:%d/sluice".formatted(this.postgresPort);
			case CONTAINERS, AUTO -> this.infrastructure.postgres().jdbcUrl().substring("jdbc:".length());
		};
	}

	private Map<String, String> jdbc() {
		return Map.of("spring.datasource.url", "jdbc:" + postgres());
	}

	private Map<String, String> r2dbc() {
		return Map.of("spring.r2dbc.url", "r2dbc:" + postgres());
	}

	private Service start(Module module, String name, Map<String, String> own, ServiceOptions options) {
		return start(module, name, port(module), own, options);
	}

	private Service start(Module module, String name, int port, Map<String, String> own, ServiceOptions options) {
		Map<String, String> all = new LinkedHashMap<>(own);
		all.put("server.port", Integer.toString(port));
		if (this.managementPorts.get(module) instanceof Integer managementPort) {
			all.put(ServiceOptions.MANAGEMENT_PORT, Integer.toString(managementPort));
		}
		all.putAll(this.properties);
		all.putAll(options.properties());
		URI uri = all.containsKey("server.ssl.bundle") ? URI.create("https://127.0.0.1:" + port) : uri(port);
		URI management = all.containsKey(ServiceOptions.MANAGEMENT_PORT)
				? uri(Integer.parseInt(all.get(ServiceOptions.MANAGEMENT_PORT))) : uri;
		String log = options.log().isEmpty() ? name : options.log();
		Path jar = this.workspace.jar(module);
		Optional<FastStart> fast = FastStart.find(jar);
		JavaProcess.Builder builder = JavaProcess.jar(fast.map(FastStart::jar).orElse(jar))
			.name(name)
			.jvmArgs(fast.map(FastStart::jvmArgs).orElse(List.of()))
			.jvmArgs(this.jvmArgs)
			.jvmArgs(options.jvmArgs())
			.properties(all)
			.logFile(this.directory.resolve(log + ".log"))
			.readyWhen(management.resolve("/actuator/health/readiness"), DevServices.startTimeout())
			.stopTimeout(Patience.of(STOP_TIMEOUT));
		Service service;
		synchronized (this.running) {
			if (this.closed) {
				throw new LabException("%s is not started: the stack is closed".formatted(name));
			}
			this.running.removeIf((other) -> !other.service().isAlive());
			service = new Service(name, uri, management, builder.launch());
			this.running.add(new Running(module, service));
		}
		service.process().awaitReady();
		return service;
	}

	/**
	 * Stops everything: first the gateways, then the consumers, then backend and sink,
	 * and last Kafka and PostgreSQL. Services of one step stop concurrently.
	 */
	@Override
	public void close() {
		List<Running> all;
		synchronized (this.running) {
			this.closed = true;
			all = List.copyOf(this.running);
		}
		try (DevServices _ = this.infrastructure) {
			close(all, Module.GATEWAY_SERVLET, Module.GATEWAY_REACTIVE);
			close(all, Module.CONSUMER);
			close(all, Module.BACKEND, Module.SINK);
		}
	}

	private static void close(List<Running> all, Module... modules) {
		List<Service> services = all.stream()
			.filter((entry) -> List.of(modules).contains(entry.module()))
			.map(Running::service)
			.toList();
		services.forEach((service) -> service.process().terminate());
		services.forEach(Service::close);
	}

	/**
	 * Runs the tasks concurrently; the first failure ends the wait for the others.
	 * @throws LabException if this thread is interrupted
	 */
	public static void inParallel(List<Callable<?>> tasks) {
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			var completion = new ExecutorCompletionService<@Nullable Object>(executor);
			List<Future<?>> futures = new ArrayList<>();
			for (Callable<?> task : tasks) {
				futures.add(completion.submit(task::call));
			}
			try {
				for (int i = 0; i < tasks.size(); i++) {
					completion.take().get();
				}
			}
			catch (ExecutionException ex) {
				futures.forEach((future) -> future.cancel(true));
				if (ex.getCause() instanceof RuntimeException failure) {
					throw failure;
				}
				throw new LabException(String.valueOf(ex.getCause()), ex);
			}
			catch (InterruptedException ex) {
				futures.forEach((future) -> future.cancel(true));
				Thread.currentThread().interrupt();
				throw new LabException("interrupted", ex);
			}
		}
	}

	private final class BreakableService implements Breakable {

		private volatile Service service;

		BreakableService(Service service) {
			this.service = service;
		}

		@Override
		public void kill() {
			this.service.process().kill();
		}

		@Override
		public void stop() {
			this.service.close();
		}

		@Override
		public void start() {
			this.service = relaunch(this.service);
			this.service.process().awaitReady();
		}

		@Override
		public void freeze() {
			this.service.process().freeze();
		}

		@Override
		public void unfreeze() {
			this.service.process().unfreeze();
		}

	}

	private record Running(Module module, Service service) {
	}

	/** The options of a stack. */
	public static final class Builder {

		private @Nullable Workspace workspace;

		private Infrastructure infrastructure = Infrastructure.AUTO;

		private Path directory = Path.of("target", "stack");

		private int brokers = 1;

		private boolean prepared = true;

		private boolean fixedPorts;

		private int portOffset;

		/** Ports given out already, because a free port may be offered twice. */
		private final Set<Integer> taken = new HashSet<>();

		private final List<String> jvmArgs = new ArrayList<>(JVM_ARGS);

		private final Map<String, String> properties = new LinkedHashMap<>();

		private Builder() {
		}

		/** The checkout with the jars. Default: {@link Workspace#find()}. */
		public Builder workspace(Workspace value) {
			this.workspace = value;
			return this;
		}

		/** How Kafka and PostgreSQL run. Default {@code AUTO}. */
		public Builder infrastructure(Infrastructure value) {
			this.infrastructure = value;
			return this;
		}

		/**
		 * The number of Kafka brokers, 1 or 3; each topic has as many replicas. Default
		 * 1.
		 */
		public Builder brokers(int value) {
			this.brokers = value;
			return this;
		}

		/** The directory of the services' logs. Default {@code target/stack}. */
		public Builder directory(Path value) {
			this.directory = value.toAbsolutePath();
			return this;
		}

		/**
		 * Uses the documented ports, each plus this offset. Default: free ports.
		 */
		public Builder fixedPorts(int offset) {
			this.fixedPorts = true;
			this.portOffset = offset;
			return this;
		}

		/** Adds JVM options of every service, after {@link Stack#JVM_ARGS}. */
		public Builder jvmArgs(String... values) {
			this.jvmArgs.addAll(List.of(values));
			return this;
		}

		/**
		 * Starts the services from their jars unless they are prepared already. After a
		 * build, that costs less CPU than to {@link Stack#prepare prepare} a few starts.
		 */
		public Builder unprepared() {
			this.prepared = false;
			return this;
		}

		/**
		 * For a run that shows that everything works and measures nothing: services that
		 * are {@link #unprepared} and compile as little as possible.
		 */
		public Builder checking() {
			return unprepared().jvmArgs(CHECKING_JVM_ARG);
		}

		/** Sets a Spring property of every service. */
		public Builder property(String key, Object value) {
			this.properties.put(key, value.toString());
			return this;
		}

		/**
		 * Builds the stack. Starts nothing.
		 * @throws dev.sluice.devservices.StartFailedException if containers are asked for
		 * and no engine answers
		 */
		public Stack build() {
			return new Stack(this);
		}

		private int port(int usual) {
			if (this.fixedPorts) {
				return usual + this.portOffset;
			}
			int port = Ports.free();
			while (!this.taken.add(port)) {
				port = Ports.free();
			}
			return port;
		}

	}

}
