package dev.sluice.devservices;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.MountableFile;

/** A Kafka broker and controller in a container. */
final class ContainerKafka extends Container {

	static final String IMAGE = "apache/kafka:4.2.1";

	private static final int PORT = 9092;

	private static final int READABLE = 0644;

	private ContainerKafka(String name, GenericContainer<?> container, int port) {
		super(name, container, PORT, port);
	}

	/** The brokers of one cluster, one for each port. Starts none. */
	static KafkaService cluster(List<Integer> ports) {
		// Others have another name, because clusters share the network.
		List<String> hosts = (ports.size() == 1) ? List.of("localhost")
				: ports.stream().map((port) -> "kafka-" + port).toList();
		String voters = IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> "%s@%s:9094".formatted(node, hosts.get(node - 1)))
			.collect(Collectors.joining(","));
		return new KafkaService(IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> new ContainerKafka((ports.size() == 1) ? "Kafka" : "Kafka's broker " + node,
					create(KafkaService.properties(node, voters), hosts.get(node - 1), ports.get(node - 1)),
					ports.get(node - 1)))
			.toList());
	}

	private static GenericContainer<?> create(Map<String, String> properties, String host, int port) {
		properties.put("listeners", "PLAINTEXT://:%s,INSIDE://:9093,CONTROLLER://:9094".formatted(PORT));
		properties.put("advertised.listeners", "PLAINTEXT://%s:%s,INSIDE://%s:9093"
			.formatted(DockerClientFactory.instance().dockerHostIpAddress(), port, host));
		properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT");
		properties.put("inter.broker.listener.name", "INSIDE");
		properties.put("log.dirs", "/var/lib/kafka/data");
		GenericContainer<?> container = new GenericContainer<>(IMAGE).withEnv("KAFKA_HEAP_OPTS", "-Xms256m -Xmx512m")
			.withEnv("KAFKA_OPTS", KafkaService.OPTIONS)
			.withCopyFileToContainer(logging(), "/mnt/shared/config/log4j2.yaml")
			.withCopyFileToContainer(logging(), "/mnt/shared/config/tools-log4j2.yaml");
		properties.forEach((property, value) -> container.withEnv(variable(property), value));
		return host.equals("localhost") ? container : container.withNetwork(Network.SHARED).withNetworkAliases(host);
	}

	/**
	 * The logging configuration that replaces the image's. The image copies its own files
	 * with their modes and then writes to the copies, which fails if they are read-only.
	 */
	private static MountableFile logging() {
		return MountableFile.forClasspathResource("dev/sluice/devservices/kafka-log4j2.yaml", READABLE);
	}

	/** The environment variable of the image that sets a broker property. */
	private static String variable(String property) {
		return "KAFKA_" + property.replace('.', '_').toUpperCase(Locale.ROOT);
	}

	@Override
	boolean serves() {
		try (Admin admin = KafkaService.admin("%s:%s".formatted(host(), port()))) {
			return !admin.describeCluster().nodes().get().isEmpty();
		}
		catch (ExecutionException _) {
			return false;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

}
