package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * Kafka's brokers, each with its controller in a child JVM, on the loopback interface.
 * {@link #main} runs in the child, with the arguments of {@link EmbeddedProcess}, its
 * node, and all controllers.
 */
final class EmbeddedKafka {

	/** Any id will do, because the cluster never meets another one. */
	private static final String CLUSTER_ID = "c2x1aWNlLWRldi1rYWZrYQ";

	private EmbeddedKafka() {
	}

	/** The brokers of one cluster, one for each port. Starts none. */
	static KafkaService cluster(List<Integer> ports) {
		List<String> controllers = Ports.free(ports.size()).stream().map("127.0.0.1:%s"::formatted).toList();
		return KafkaService.cluster("127.0.0.1", ports, controllers,
				(name, node, voters, inSync) -> new EmbeddedProcess(name, ports.get(node - 1), EmbeddedKafka.class,
						List.of("-Xms256m -Xmx512m -XX:+UseG1GC %s".formatted(KafkaService.OPTIONS).split(" ")), inSync,
						Integer.toString(node), voters));
	}

	public static void main(String[] args) throws Exception {
		// Kafka names its files in the default locale, and some locales have other
		// digits.
		Locale.setDefault(Locale.ROOT);
		Properties properties = properties(args[0], Path.of(args[1]), Integer.parseInt(args[2]), args[3]);
		format(properties);
		KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
		server.startup();
		// Only now, because a shutdown during start-up can deadlock. Until now, SIGTERM
		// just ends the JVM.
		EmbeddedProcess.stopping(args, server::shutdown);
		EmbeddedProcess.ready();
		server.awaitShutdown();
	}

	private static Properties properties(String port, Path directory, int node, String voters) {
		String controller = voters.split(",")[node - 1].replaceFirst(".*@", "");
		Properties properties = new Properties();
		properties.putAll(KafkaService.properties(node, voters));
		properties.putAll(Map.of("listeners", "PLAINTEXT://127.0.0.1:%s,CONTROLLER://%s".formatted(port, controller),
				"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT", "log.dirs",
				directory.resolve("data").toString()));
		return properties;
	}

	/** Formats a new directory. Leaves a formatted one as it is. */
	private static void format(Properties properties) throws Exception {
		String directory = properties.getProperty("log.dirs");
		new Formatter().setClusterId(CLUSTER_ID)
			.setNodeId(Integer.parseInt(properties.getProperty("node.id")))
			.setControllerListenerName("CONTROLLER")
			.setMetadataLogDirectory(directory)
			.addDirectory(directory)
			.setIgnoreFormatted(true)
			.run();
	}

}
