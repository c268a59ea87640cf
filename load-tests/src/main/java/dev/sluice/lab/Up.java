package dev.sluice.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.sluice.devservices.Ports;
import dev.sluice.devservices.StartFailedException;
import dev.sluice.lab.kit.run.LabCommand;
import dev.sluice.lab.kit.run.ServicesOptions;
import dev.sluice.lab.kit.stack.Interruption;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.kit.stack.Module;
import dev.sluice.lab.kit.stack.Service;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.stack.StackOptions;
import dev.sluice.lab.kit.stack.Variant;
import dev.sluice.lab.kit.stack.Workspace;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code lab up}: runs the whole system until it is interrupted. */
@Command(name = "up",
		description = "Starts Kafka, PostgreSQL and every service, prints their addresses, and stops them on Ctrl-C.",
		footer = { "", "A service that ends is started again, three times. Data is deleted at the end."
				+ " Only the gateways use the JVM's optimizing compiler: the system is warm sooner, and does a sixth less."
				+ " Exit code: 1 if something does not start, or ends once more." })
final class Up extends LabCommand {

	private static final Duration WATCH_INTERVAL = Duration.ofMillis(500);

	private static final int MAX_OFFSET = 50_000;

	/** How often a service that has ended is started again. */
	private static final int RESTARTS = 3;

	/** What nobody starts again. */
	private static final List<String> SERVERS = List.of("Kafka", "PostgreSQL");

	/** As deployed ones do, and those of experiments do not. */
	private static final ServiceOptions WARMING_UP = ServiceOptions.NONE.withProperty(ServiceOptions.WARM_UP, "8s");

	/**
	 * Without the optimizing compiler. Where five cold JVMs share two cores, it takes
	 * most of the first minute, and is worth it in the gateways only.
	 */
	private static final ServiceOptions QUICK = ServiceOptions.NONE.withJvmArgs(StackOptions.CHECKING_JVM_ARG);

	@Mixin
	private ServicesOptions services = new ServicesOptions();

	@Option(names = "--threads", paramLabel = "MODEL", defaultValue = "virtual",
			description = "The servlet gateway's threads: platform, virtual, async. Default: ${DEFAULT-VALUE}.")
	private String threads = "virtual";

	@Option(names = "--port-offset", paramLabel = "N", defaultValue = "0",
			description = "Number added to every port. Default: ${DEFAULT-VALUE}.")
	private int portOffset;

	/** What has become ready, and how often it was started again. */
	private final Map<Service, Integer> restarts = new ConcurrentHashMap<>();

	@Override
	public Integer call() {
		Variant servlet = servlet();
		require(this.portOffset >= 0 && this.portOffset <= MAX_OFFSET, "--port-offset: 0 to %s".formatted(MAX_OFFSET));
		Workspace workspace = Workspace.find();
		Path directory = workspace.root().resolve("target/up-" + this.portOffset);
		try {
			Files.createDirectories(directory);
		}
		catch (IOException ex) {
			throw new LabException("cannot write logs to %s: %s".formatted(directory, ex), ex);
		}
		// An interrupt is its normal end.
		try (Interruption _ = new Interruption(0)) {
			return run(new Stack(workspace, this.services.infrastructure(), directory,
					StackOptions.DEFAULT.withFixedPorts(this.portOffset)), servlet);
		}
	}

	private Variant servlet() {
		return Stream.of(Variant.values())
			.filter((variant) -> variant.id().equals("servlet-" + this.threads))
			.findFirst()
			.orElseThrow(() -> usage("--threads: platform, virtual or async"));
	}

	private int run(Stack stack, Variant servlet) {
		checkPorts(stack);
		try {
			Duration elapsed = start(stack, servlet);
			printAddresses(stack, servlet, elapsed);
			Service dead = watch(stack.ports());
			throw new LabException("%s has ended once more; its log %s ends with:%n%s".formatted(dead.name(),
					dead.process().logFile(), dead.process().tail()));
		}
		catch (InterruptedException _) {
			return 0;
		}
		finally {
			// Clears the interrupt, which would disturb stopping.
			Thread.interrupted();
			say("Stopping …");
			stack.close();
		}
	}

	private static void checkPorts(Stack stack) {
		try {
			stack.ports().forEach((name, port) -> Ports.requireFree(port, name));
		}
		catch (StartFailedException ex) {
			throw new LabException(ex.getMessage() + ": stop that, or use --port-offset 1000", ex);
		}
	}

	private Duration start(Stack stack, Variant servlet) {
		long start = System.nanoTime();
		// One after the other, as services that wait for Kafka use cores, too.
		Stack.inParallel(List.of(reported(start, "Kafka", () -> stack.infrastructure().kafka()),
				reported(start, "PostgreSQL", () -> stack.infrastructure().postgres())));
		// No order needs the sink, so nobody waits for it.
		Thread.ofVirtual().start(() -> startLate(reported(start, "grpc-sink", () -> stack.startSink(QUICK))));
		Stack.inParallel(List.of(reported(start, "backend-mock", () -> stack.startBackend(QUICK)),
				reported(start, "order-consumer", () -> stack.startConsumer(QUICK)),
				reported(start, "gateway-servlet", () -> stack.startGateway(servlet, WARMING_UP)),
				reported(start, "gateway-reactive", () -> stack.startGateway(Variant.REACTIVE, WARMING_UP))));
		return Duration.ofNanos(System.nanoTime() - start);
	}

	private void startLate(Callable<?> start) {
		try {
			start.call();
		}
		catch (Exception ex) {
			say(String.valueOf(ex.getMessage()));
		}
	}

	/** A start that prints a line when it is done; a service is watched from then on. */
	private Callable<?> reported(long startNanos, String name, Callable<?> start) {
		return () -> {
			Object started = start.call();
			if (started instanceof Service service) {
				this.restarts.put(service, 0);
			}
			say(String.format(Locale.ROOT, "%6.1f s  %s is ready", (System.nanoTime() - startNanos) / 1e9, name));
			return started;
		};
	}

	private void printAddresses(Stack stack, Variant servlet, Duration elapsed) {
		String gateway = stack.uri(Module.GATEWAY_SERVLET).toString();
		stdout().printf(Locale.ROOT,
				"""

						Sluice is ready after %.1f s; Kafka and PostgreSQL are %s.

						  gateway-servlet    %s   threads: %s
						  gateway-reactive   %s
						  order-consumer     %s/actuator/health
						  backend-mock       %s/audit
						  grpc-sink          %s (gRPC), %s/actuator/health
						  Kafka              %s
						  PostgreSQL         %s   user sluice, password sluice
						  logs               %s

						An order, saved before the answer; with the header 'Prefer: respond-async', queued:

						  curl -i %s/orders -H 'Content-Type: application/json' \\
						    -d '{"customerId":"customer-1","items":[{"sku":"sku-1","quantity":2,"unitPrice":{"amount":"19.90","currency":"EUR"}}]}'

						Or: ./lab order --queued --follow%s
						See it live: ./lab watch%s

						Ctrl-C stops everything.
						""",
				elapsed.toMillis() / 1000.0, switch (stack.infrastructure().infrastructure()) {
					case CONTAINERS -> "containers";
					case EMBEDDED, AUTO -> "child processes";
				}, gateway, servlet.id().substring("servlet-".length()), stack.uri(Module.GATEWAY_REACTIVE),
				stack.uri(Module.CONSUMER), stack.uri(Module.BACKEND), stack.sinkTarget(), stack.uri(Module.SINK),
				stack.infrastructure().kafka().bootstrapServers(), stack.infrastructure().postgres().jdbcUrl(),
				stack.directory(), gateway, (this.portOffset == 0) ? "" : " --gateway " + gateway,
				(this.portOffset == 0) ? "" : " --port-offset " + this.portOffset);
		stdout().flush();
	}

	/** Starts services that end again; returns the first that has ended too often. */
	private Service watch(Map<String, Integer> ports) throws InterruptedException {
		Set<String> ended = new HashSet<>();
		while (true) {
			for (String server : SERVERS) {
				int port = Objects.requireNonNull(ports.get(server));
				if (!Ports.isFree(port)) {
					ended.remove(server);
				}
				else if (ended.add(server)) {
					say("%s has ended: nothing listens on port %s. The services wait for it; Ctrl-C stops them"
						.formatted(server, port));
				}
			}
			for (Service service : this.restarts.keySet()) {
				if (!service.isAlive()) {
					int time = this.restarts.merge(service, 1, Integer::sum);
					if (time > RESTARTS) {
						return service;
					}
					startAgain(service, time);
				}
			}
			Thread.sleep(WATCH_INTERVAL);
		}
	}

	private void startAgain(Service service, int time) {
		say("%s has ended and is started again (%s of %s); its log %s ends with:%n%s".formatted(service.name(), time,
				RESTARTS, service.process().logFile(), service.process().tail()));
		try {
			service.process().start();
			say("%s is ready again".formatted(service.name()));
		}
		catch (StartFailedException ex) {
			// The next look counts it.
			say(String.valueOf(ex.getMessage()));
		}
	}

}
