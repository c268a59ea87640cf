package dev.sluice.devservices;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.MountableFile;

/** Kafka and PostgreSQL in containers. */
final class Containers {

	static final String KAFKA = "apache/kafka:4.2.1";

	static final String POSTGRES = "postgres:18";

	private static final int KAFKA_PORT = 9092;

	private static final int POSTGRES_PORT = 5432;

	private static final int READABLE = 0644;

	/** How long a look at PostgreSQL may take. */
	private static final int SECONDS = 2;

	private Containers() {
	}

	/** PostgreSQL. Starts nothing. */
	static PostgresService postgres(int port) {
		String name = PostgresService.NAME;
		GenericContainer<?> container = new GenericContainer<>(POSTGRES)
			.withEnv(Map.of("POSTGRES_DB", name, "POSTGRES_USER", name, "POSTGRES_PASSWORD", name));
		String url = "jdbc:postgresql://%s:%s/%s?connectTimeout=%4$s&socketTimeout=%4$s".formatted(container.getHost(),
				port, name, SECONDS);
		return new PostgresService(container.getHost(), port,
				new Container("postgres", container, POSTGRES_PORT, port, () -> serves(url)));
	}

	private static boolean serves(String url) {
		try (Connection connection = DriverManager.getConnection(url, PostgresService.NAME, PostgresService.NAME)) {
			return connection.isValid(SECONDS);
		}
		catch (SQLException _) {
			return false;
		}
	}

	/** The brokers of one cluster, each with a controller. Starts none. */
	static KafkaService kafka(List<Integer> ports) {
		// Others have another name, because clusters share the network.
		List<String> hosts = (ports.size() == 1) ? List.of("localhost")
				: ports.stream().map((port) -> "kafka-" + port).toList();
		String engine = DockerClientFactory.instance().dockerHostIpAddress();
		return KafkaService.cluster(engine, ports, hosts.stream().map((host) -> host + ":9094").toList(),
				(name, node, voters, inSync) -> {
					int port = ports.get(node - 1);
					GenericContainer<?> container = kafka(KafkaService.properties(node, voters), hosts.get(node - 1),
							engine + ":" + port);
					return new Container(name, container, KAFKA_PORT, port, inSync);
				});
	}

	private static GenericContainer<?> kafka(Map<String, String> properties, String host, String outside) {
		properties.put("listeners", "PLAINTEXT://:%s,INSIDE://:9093,CONTROLLER://:9094".formatted(KAFKA_PORT));
		properties.put("advertised.listeners", "PLAINTEXT://%s,INSIDE://%s:9093".formatted(outside, host));
		properties.put("listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,INSIDE:PLAINTEXT,CONTROLLER:PLAINTEXT");
		properties.put("inter.broker.listener.name", "INSIDE");
		properties.put("log.dirs", "/var/lib/kafka/data");
		GenericContainer<?> container = new GenericContainer<>(KAFKA).withEnv("KAFKA_HEAP_OPTS", "-Xms256m -Xmx512m")
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

}
