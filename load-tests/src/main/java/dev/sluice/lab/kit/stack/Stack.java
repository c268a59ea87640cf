package dev.sluice.lab.kit.stack;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.lab.kit.process.ProcessSampler;
import org.jspecify.annotations.Nullable;

/**
 * The system on this machine: one Kafka (of one broker or three), one PostgreSQL, and
 * services as child JVMs that know each other's addresses. Each service is started and
 * stopped alone; all have the same heap and collector unless a start says otherwise.
 * Ports are fixed when the stack is made, so a service may start before the services it
 * needs: it waits for them. Its start waits for Kafka and PostgreSQL, if it needs them.
 * <p>
 * Thread-safe: services may start concurrently, and {@link #close} on another thread also
 * ends those that are starting.
 */
public final class Stack implements AutoCloseable {

	/** The distance between the fixed ports of two brokers. */
	private static final int BROKER_OFFSET = 100;

	private static final String POSTGRES = "PostgreSQL";

	private static final String SINK_GRPC = Module.SINK.directory() + " (gRPC)";

	/** Follows the module's name. */
	private static final String MANAGEMENT = " (management)";

	/** The longest graceful shutdown: 20 s to drain, and what follows. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(40);

	private final Workspace workspace;

	private final Path directory;

	private final StackOptions options;

	/** By the process that needs it, as {@link #ports()}. */
	private final Map<String, Integer> ports;

	private final DevServices infrastructure;

	/** Services in the order of their starts; guarded by itself. */
	private final List<Service> running = new ArrayList<>();

	private boolean closed;

	/**
	 * Starts nothing.
	 * @param workspace the checkout with the jars
	 * @param infrastructure how Kafka and PostgreSQL run
	 * @param directory for the services' logs
	 * @throws dev.sluice.devservices.StartFailedException if containers are asked for and
	 * no engine answers
	 */
	public Stack(Workspace workspace, Infrastructure infrastructure, Path directory, StackOptions options) {
		this.workspace = workspace;
		this.directory = directory.toAbsolutePath();
		this.options = options;
		this.ports = ports(options);
		this.infrastructure = DevServices.start(infrastructure, kafkaPorts(), port(POSTGRES));
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

	/** Starts the backend; like the other methods, returns when it is ready. */
	public Service startBackend(ServiceOptions options) {
		boolean postgres = "postgres".equals(options.properties().get("backend.store"));
		return start(Module.BACKEND, postgres ? jdbc() : Map.of(), options);
	}

	/** Starts the order-consumer. */
	public Service startConsumer(ServiceOptions options) {
		return start(Module.CONSUMER, consumer(), options);
	}

	/**
	 * Starts an order-consumer next to others of the same group, on a free port.
	 * @param number its number, in its name and its log's
	 */
	public Service startConsumer(int number, ServiceOptions options) {
		return start(Module.CONSUMER, "%s-%s".formatted(Module.CONSUMER.directory(), number), Ports.free(), consumer(),
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
		return start(variant.module(), variant.id(), port(variant.module().directory()), gateway(variant), options);
	}

	/** Starts a gateway next to others, on free ports. */
	public Service startAnotherGateway(Variant variant, ServiceOptions options) {
		return start(variant.module(), variant.id(), Ports.free(), gateway(variant),
				options.withProperty(ServiceOptions.MANAGEMENT_PORT, Ports.free()));
	}

	private Map<String, String> gateway(Variant variant) {
		Map<String, String> own = new LinkedHashMap<>(kafka());
		own.putAll(switch (variant.module()) {
			case GATEWAY_REACTIVE -> Map.of("spring.r2dbc.url", this.infrastructure.postgres().r2dbcUrl());
			case GATEWAY_SERVLET, BACKEND, CONSUMER, SINK -> jdbc();
		});
		own.put("backend.url", uri(Module.BACKEND).toString());
		// What measures warms up by its own load.
		own.put(ServiceOptions.WARM_UP, "0s");
		own.putAll(variant.properties());
		return own;
	}

	/** Starts the gRPC sink. */
	public Service startSink(ServiceOptions options) {
		Map<String, String> own = new LinkedHashMap<>(kafka());
		own.put("spring.grpc.server.port", Integer.toString(port(SINK_GRPC)));
		return start(Module.SINK, own, options);
	}

	/** The HTTP address of a module when it runs. */
	public URI uri(Module module) {
		return uri(port(module.directory()));
	}

	private static URI uri(int port) {
		return URI.create("http://127.0.0.1:" + port);
	}

	private int port(String process) {
		return Objects.requireNonNull(this.ports.get(process), process);
	}

	private List<Integer> kafkaPorts() {
		return IntStream.rangeClosed(1, this.options.brokers()).mapToObj((broker) -> port(broker(broker))).toList();
	}

	/** The gRPC address of the sink when it runs: {@code host:port}. */
	public String sinkTarget() {
		return "127.0.0.1:" + port(SINK_GRPC);
	}

	/**
	 * Checks that services run.
	 * @throws LabException if one has died
	 */
	public static void checkAlive(Collection<Service> services) {
		for (Service service : services) {
			if (!service.isAlive()) {
				JavaProcess process = service.process();
				throw new LabException("%s died; its log %s ends with:%n%s".formatted(service.name(), process.logFile(),
						process.tail()));
			}
		}
	}

	/** The directory of the logs. */
	public Path directory() {
		return this.directory;
	}

	/** The services that run, in the order of their starts. */
	public List<Service> services() {
		synchronized (this.running) {
			return this.running.stream().filter(Service::isAlive).toList();
		}
	}

	/** What runs, and this process, by name: whose CPU time is not foreign. */
	public Map<String, List<Long>> processes() {
		Map<String, List<Long>> processes = ProcessSampler.servers(this.infrastructure);
		services().forEach((service) -> processes.put(service.name(), List.of(service.pid())));
		processes.put("lab", List.of(ProcessHandle.current().pid()));
		return processes;
	}

	/**
	 * Every port that is needed, by the process that needs it, to be checked before a
	 * start.
	 */
	public Map<String, Integer> ports() {
		return this.ports;
	}

	/** The documented ports, by process. */
	public static Map<String, Integer> defaultPorts() {
		return ports(StackOptions.DEFAULT.withFixedPorts(0));
	}

	private static Map<String, Integer> ports(StackOptions options) {
		Map<String, Integer> ports = new LinkedHashMap<>();
		for (int broker = 1; broker <= options.brokers(); broker++) {
			ports.put(broker(broker), Module.KAFKA_PORT + (broker - 1) * BROKER_OFFSET);
		}
		ports.put(POSTGRES, Module.POSTGRES_PORT);
		for (Module module : Module.values()) {
			ports.put(module.directory(), module.port());
			if (module.managementPort() != module.port()) {
				ports.put(module.directory() + MANAGEMENT, module.managementPort());
			}
		}
		ports.put(SINK_GRPC, Module.SINK_GRPC_PORT);
		Integer offset = options.portOffset();
		Iterator<Integer> free = Ports.free((offset != null) ? 0 : ports.size()).iterator();
		ports.replaceAll((_, port) -> (offset != null) ? Integer.valueOf(port + offset) : free.next());
		return Collections.unmodifiableMap(ports);
	}

	private static String broker(int number) {
		return (number == 1) ? "Kafka" : "Kafka's broker " + number;
	}

	private Map<String, String> kafka() {
		String copies = Integer.toString(this.options.brokers());
		return Map.of("spring.kafka.bootstrap-servers", this.infrastructure.kafka().bootstrapServers(),
				"queue.replication-factor", copies, "sink.topic.replication-factor", copies);
	}

	private Map<String, String> jdbc() {
		return Map.of("spring.datasource.url", this.infrastructure.postgres().jdbcUrl());
	}

	private Service start(Module module, Map<String, String> own, ServiceOptions options) {
		return start(module, module.directory(), port(module.directory()), own, options);
	}

	private Service start(Module module, String name, int port, Map<String, String> own, ServiceOptions options) {
		Map<String, String> all = new LinkedHashMap<>(own);
		all.put("server.port", Integer.toString(port));
		if (this.ports.get(module.directory() + MANAGEMENT) instanceof Integer managementPort) {
			all.put(ServiceOptions.MANAGEMENT_PORT, Integer.toString(managementPort));
		}
		all.putAll(options.properties());
		URI management = all.containsKey(ServiceOptions.MANAGEMENT_PORT)
				? uri(Integer.parseInt(all.get(ServiceOptions.MANAGEMENT_PORT))) : uri(port);
		String log = options.log().isEmpty() ? name : options.log();
		JavaProcess process = JavaProcess.jar(this.workspace.jar(module))
			.name(name)
			.jvmArgs(this.options.jvmArgs())
			.jvmArgs(options.jvmArgs())
			.logFile(this.directory.resolve(log + ".log"))
			.readyWhen(management.resolve("/actuator/health/readiness"), DevServices.startTimeout())
			.stopTimeout(Patience.of(STOP_TIMEOUT));
		all.forEach(process::property);
		Service service;
		synchronized (this.running) {
			if (this.closed) {
				throw new LabException("%s is not started: the stack is closed".formatted(name));
			}
			service = new Service(module, name, uri(port), management, process.launch());
			this.running.add(service);
		}
		process.awaitReady();
		return service;
	}

	/**
	 * Stops everything: first the gateways, then the consumers, then backend and sink,
	 * and last Kafka and PostgreSQL. Services of one step stop concurrently.
	 */
	@Override
	public void close() {
		List<Service> all;
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

	private static void close(List<Service> all, Module... modules) {
		List<Service> services = all.stream().filter((service) -> List.of(modules).contains(service.module())).toList();
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
			for (Callable<?> task : tasks) {
				completion.submit(task::call);
			}
			try {
				for (int i = 0; i < tasks.size(); i++) {
					completion.take().get();
				}
			}
			catch (ExecutionException ex) {
				executor.shutdownNow();
				if (ex.getCause() instanceof RuntimeException failure) {
					throw failure;
				}
				throw new LabException(String.valueOf(ex.getCause()), ex);
			}
			catch (InterruptedException ex) {
				executor.shutdownNow();
				Thread.currentThread().interrupt();
				throw new LabException("interrupted", ex);
			}
		}
	}

}
