package dev.sluice.lab.proof.claim;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.LengthOptions.Length;
import dev.sluice.lab.kit.run.ConsumerGroup;
import dev.sluice.lab.kit.run.Progress;
import dev.sluice.lab.kit.run.SourceOption;
import dev.sluice.lab.kit.run.SourceOption.Source;
import dev.sluice.lab.kit.run.RunDirectory;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.Variant;

/**
 * The environment of one proof: a fresh stack, the backend's controls and a directory for
 * raw data. Not thread-safe.
 */
public final class TestBed implements AutoCloseable {

	/** Both gateways, as clients can choose either. */
	public static final List<Variant> GATEWAYS = List.of(Variant.SERVLET_VIRTUAL, Variant.REACTIVE);

	private static final String BACKEND = "backend";

	private static final String CONSUMER = "consumer";

	private static final long POLL_MILLIS = 250;

	private static final long QUIET_MILLIS = 3_000;

	private final Stack stack;

	private final Source source;

	private final Path directory;

	private final Progress progress;

	private final Length size;

	private final long seed;

	private final int requests;

	private final HttpClient client = Http.client(Duration.ofSeconds(5));

	private final Map<String, Service> services = new ConcurrentHashMap<>();

	/**
	 * @param size how large the proof is
	 * @param requests number of requests; 0 for the size's default
	 * @param source how the consumer reads orders
	 */
	public TestBed(Infrastructure infrastructure, RunDirectory directory, String proof, Progress progress, Length size,
			long seed, int requests, Source source) throws IOException {
		this.directory = directory.directory(proof);
		this.stack = Stack.builder()
			.infrastructure(infrastructure)
			.directory(this.directory.resolve("logs"))
			.property(SourceOption.PROPERTY, source)
			.build();
		this.source = source;
		this.progress = progress;
		this.size = size;
		this.seed = seed;
		this.requests = requests;
	}

	/**
	 * Starts Kafka, PostgreSQL, backend, one consumer and both gateways, side by side.
	 */
	public void startAll() throws InterruptedException {
		startAll(ServiceOptions.NONE);
	}

	/**
	 * Starts everything.
	 * @param consumer options of the consumer
	 */
	public void startAll(ServiceOptions consumer) throws InterruptedException {
		startAll(consumer, ServiceOptions.NONE);
	}

	/**
	 * Starts everything.
	 * @param consumer options of the consumer
	 * @param gateway options of each gateway
	 */
	public void startAll(ServiceOptions consumer, ServiceOptions gateway) throws InterruptedException {
		step("Starting Kafka, PostgreSQL (%s), the backend, a consumer and two gateways"
			.formatted(this.stack.infrastructure().infrastructure()));
		List<Callable<?>> starts = new ArrayList<>(List.of(this.stack::startInfrastructure,
				() -> this.services.put(BACKEND, this.stack.startBackend(ServiceOptions.NONE)),
				() -> this.services.put(CONSUMER, this.stack.startConsumer(consumer))));
		GATEWAYS.forEach((variant) -> starts
			.add(() -> this.services.put(variant.id(), this.stack.startGateway(variant, gateway))));
		Stack.inParallel(starts);
		backend().behave(BackendBehaviour.DEFAULT);
	}

	/** Starts Kafka, PostgreSQL and the backend, side by side. */
	public void startWithoutGateways() throws InterruptedException {
		step("Starting Kafka, PostgreSQL (%s) and the backend".formatted(this.stack.infrastructure().infrastructure()));
		Stack.inParallel(List.of(this.stack::startInfrastructure,
				() -> this.services.put(BACKEND, this.stack.startBackend(ServiceOptions.NONE))));
		backend().behave(BackendBehaviour.DEFAULT);
	}

	public Stack stack() {
		return this.stack;
	}

	/** The consumer group that delivers orders. */
	public ConsumerGroup deliveryGroup() {
		return ConsumerGroup.delivery(this.stack.infrastructure().kafka().bootstrapServers(), this.source);
	}

	public BackendControl backend() {
		return new BackendControl(this.client, this.stack.uri(Module.BACKEND));
	}

	public Service backendService() {
		return service(BACKEND);
	}

	/** The gateways in the order of {@link #GATEWAYS}. */
	public List<Service> gateways() {
		return GATEWAYS.stream().map((variant) -> service(variant.id())).toList();
	}

	private Service service(String name) {
		return Objects.requireNonNull(this.services.get(name), name);
	}

	public HttpClient client() {
		return this.client;
	}

	/** The path of a raw file. */
	public Path file(String name) {
		return this.directory.resolve(name);
	}

	public long seed() {
		return this.seed;
	}

	/** Number of requests: the user's, or the size's default. */
	public int requests(int whole, int quick, int smallest) {
		return (this.requests > 0) ? this.requests : size(whole, quick, smallest);
	}

	/** The number for this proof's size. */
	public int size(int whole, int quick, int smallest) {
		return switch (this.size) {
			case WHOLE -> whole;
			case QUICK -> quick;
			case SMALLEST -> smallest;
		};
	}

	public void step(String text) {
		this.progress.step(text);
	}

	public void now(String text) {
		this.progress.now(text);
	}

	/**
	 * Waits until the backend has received no order for some seconds.
	 * @return the backend's audit at that time
	 * @throws LabException if it does not become quiet in time
	 */
	public BackendAudit awaitQuiet(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		long received = -1;
		long quietSince = System.nanoTime();
		while (true) {
			BackendAudit audit = backend().audit();
			if (audit.received() != received || audit.inFlight() > 0) {
				received = audit.received();
				quietSince = System.nanoTime();
			}
			if (System.nanoTime() - quietSince > TimeUnit.MILLISECONDS.toNanos(QUIET_MILLIS)) {
				return audit;
			}
			if (System.nanoTime() - deadline > 0) {
				throw new LabException("Orders still reached the backend after %d s".formatted(timeout.toSeconds()));
			}
			Thread.sleep(POLL_MILLIS);
		}
	}

	@Override
	public void close() {
		this.client.shutdownNow();
		try (HttpClient _ = this.client) {
			this.stack.close();
		}
	}

}
