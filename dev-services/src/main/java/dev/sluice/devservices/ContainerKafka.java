package dev.sluice.devservices;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.BooleanSupplier;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.MountableFile;

/** A Kafka broker and controller in a container. */
final class ContainerKafka extends Container {

	static final String IMAGE = "apache/kafka:4.2.1";

	private static final int PORT = 9092;

	private static final int READABLE = 0644;

	private final BooleanSupplier inSync;

	private ContainerKafka(String name, GenericContainer<?> container, int port, BooleanSupplier inSync) {
		super(name, container, PORT, port);
		this.inSync = inSync;
	}

	/** The brokers of one cluster, one for each port. Starts none. */
	static KafkaService cluster(List<Integer> ports) {
		// Others have another name, because clusters share the network.
		List<String> hosts = (ports.size() == 1) ? List.of("localhost")
				: ports.stream().map((port) -> "kafka-" + port).toList();
		String engine = DockerClientFactory.instance().dockerHostIpAddress();
		return KafkaService.cluster(engine, ports, hosts.stream().map((host) -> host + ":9094").toList(),
				(name, node, voters, inSync) -> {
					int port = ports.get(node - 1);
					GenericContainer<?> container = create(KafkaService.properties(node, voters), hosts.get(node - 1),
							engine + ":" + port);
					return new ContainerKafka(name, container, port, inSync);
				});
	}

	private static GenericContainer<?> create(Map<String, String> properties, String host, String outside) {
		properties.put("listeners", "PLAINTEXT://:%s,INSIDE://:9093,CONTROLLER://:9094".formatted(PORT));
		properties.put("advertised.listeners", "PLAINTEXT://%s,INSIDE://%s:9093".formatted(outside, host));
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
		return this.inSync.getAsBoolean();
	}

}
