package dev.sluice.devservices;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.testcontainers.containers.Network;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.kafka.KafkaContainer;

/** A Kafka broker and controller in a container. */
final class ContainerKafka extends Container<KafkaContainer> implements KafkaBroker {

	static final String IMAGE = "apache/kafka:4.2.1";

	private static final int PORT = 9092;

	private static final int CONTROLLER_PORT = 9094;

	private static final int PROBE_TIMEOUT_MILLIS = 2_000;

	/** Where Testcontainers puts the script that the container waits for and runs. */
	private static final String STARTER = "/tmp/testcontainers_start.sh";

	private static final String START_AGAIN = """
			#!/bin/sh
			exec /opt/kafka/bin/kafka-server-start.sh /opt/kafka/config/server.properties
			""";

	private static final int EXECUTABLE = 0777;

	/** The environment variable with further options for the broker's JVM. */
	private static final String OPTIONS = "TEST_KAFKA_OPTS";

	private volatile boolean started;

	/**
	 * A single broker. Starts nothing.
	 * @param port 0 picks a free one
	 */
	ContainerKafka(int port) {
		this("Kafka", port, () -> kafka(1));
	}

	private ContainerKafka(String name, int port, Supplier<KafkaContainer> factory) {
		super(name, PORT, port, factory, ContainerKafka::serves);
	}

	/**
	 * The brokers of one cluster. Starts none.
	 * @param ports one for each broker; 0 picks a free one
	 * @param network connects the brokers; created when the first one starts
	 */
	static List<ContainerKafka> cluster(List<Integer> ports, Network network) {
		String voters = IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> "%s@%s:%s".formatted(node, host(node), CONTROLLER_PORT))
			.collect(Collectors.joining(","));
		return IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> new ContainerKafka("Kafka's broker " + node, ports.get(node - 1),
					() -> kafka(ports.size()).withNetwork(network)
						.withNetworkAliases(host(node))
						.withEnv("KAFKA_NODE_ID", Integer.toString(node))
						.withEnv("KAFKA_CONTROLLER_QUORUM_VOTERS", voters)))
			.toList();
	}

	private static String host(int node) {
		return "kafka-" + node;
	}

	private static KafkaContainer kafka(int brokers) {
		Map<String, String> copies = KafkaCluster.properties(brokers)
			.entrySet()
			.stream()
			.collect(Collectors.toMap((entry) -> variable(entry.getKey()), Map.Entry::getValue));
		return new KafkaContainer(IMAGE).withEnv("KAFKA_HEAP_OPTS", "-Xms256m -Xmx512m")
			.withEnv("KAFKA_AUTO_CREATE_TOPICS_ENABLE", "false")
			.withEnv("KAFKA_GROUP_MIN_SESSION_TIMEOUT_MS", "3000")
			.withEnv("KAFKA_OPTS", System.getenv().getOrDefault(OPTIONS, ""))
			.withEnv(copies)
			.withCopyToContainer(logging(), "/mnt/shared/config/log4j2.yaml")
			.withCopyToContainer(logging(), "/mnt/shared/config/tools-log4j2.yaml")
			.withStartupTimeout(DevServices.startTimeout())
			// The container runs its script as soon as it is there, and on a busy machine
			// Docker may still be writing it: "Text file busy".
			.withStartupAttempts(2);
	}

	/** The environment variable of the image that sets a broker property. */
	private static String variable(String property) {
		return "KAFKA_" + property.replace('.', '_').toUpperCase(Locale.ROOT);
	}

	@Override
	public void start() {
		boolean again = this.started;
		super.start();
		if (!again) {
			// For the next start: the first one has formatted the storage, which not
			// every image allows twice, and has written its configuration.
			get().copyFileToContainer(Transferable.of(START_AGAIN, EXECUTABLE), STARTER);
			this.started = true;
		}
	}

	@Override
	public void stop() {
		// The container's first process is a shell, which does not forward signals.
		terminate();
		super.stop();
	}

	@Override
	public String address() {
		return get().getBootstrapServers();
	}

	private static boolean serves(KafkaContainer container) {
		Map<String, Object> config = Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, container.getBootstrapServers(),
				AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PROBE_TIMEOUT_MILLIS,
				AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PROBE_TIMEOUT_MILLIS);
		try (Admin admin = Admin.create(config)) {
			return !admin.describeCluster().nodes().get(2L * PROBE_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS).isEmpty();
		}
		catch (ExecutionException | TimeoutException _) {
			return false;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/**
	 * The logging configuration that replaces the image's. The image copies its own files
	 * with their modes and then writes to the copies, which fails if they are read-only.
	 * Returns a new object for each copy, because the container keeps them in a map.
	 */
	private static Transferable logging() {
		try (InputStream stream = ContainerKafka.class.getResourceAsStream("kafka-log4j2.yaml")) {
			return Transferable.of(Objects.requireNonNull(stream, "kafka-log4j2.yaml").readAllBytes());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot read kafka-log4j2.yaml", ex);
		}
	}

}
