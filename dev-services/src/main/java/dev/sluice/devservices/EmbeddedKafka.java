package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;

/**
 * Kafka's brokers, each with its controller in a child JVM, on the loopback interface.
 * {@link #main} runs in the child, with the arguments of {@link EmbeddedProcess}. Its
 * node is the only one, or one of several as two system properties specify.
 */
final class EmbeddedKafka {

	/** Any id will do, because the cluster never meets another one. */
	private static final String CLUSTER_ID = "c2x1aWNlLWRldi1rYWZrYQ";

	private static final String NODE = "sluice.kafka.node";

	private static final String VOTERS = "sluice.kafka.voters";

	private EmbeddedKafka() {
	}

	/**
	 * The brokers of one cluster, each with a directory of its own. Starts none.
	 * @param ports one for each broker; 0 picks a free one
	 */
	static KafkaService cluster(List<Integer> ports) {
		if (ports.size() == 1) {
			return new KafkaService(List.of(broker("kafka", ports.getFirst())), () -> {
			});
		}
		String voters = voters(Ports.free(ports.size()));
		return new KafkaService(IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> broker("kafka-" + node, ports.get(node - 1), "-D%s=%s".formatted(NODE, node),
					"-D%s=%s".formatted(VOTERS, voters)))
			.toList(), () -> {
			});
	}

	private static EmbeddedProcess broker(String name, int port, String... nodeArgs) {
		List<String> jvmArgs = Stream.concat(Stream.of("-Xms256m", "-Xmx512m", "-XX:+UseG1GC"), Stream.of(nodeArgs))
			.toList();
		return new EmbeddedProcess(name, port, EmbeddedKafka.class, jvmArgs);
	}

	/**
	 * The quorum voters of several nodes.
	 * @param ports the controllers' ports, of node 1, 2, …
	 */
	private static String voters(List<Integer> ports) {
		return IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> "%s@127.0.0.1:%s".formatted(node, ports.get(node - 1)))
			.collect(Collectors.joining(","));
	}

	public static void main(String[] args) throws Exception {
		// Kafka names its files in the default locale, and some locales have other
		// digits.
		Locale.setDefault(Locale.ROOT);
		Properties properties = properties(Integer.parseInt(args[0]), Path.of(args[1]));
		format(properties);
		KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
		server.startup();
		// Only now, because a shutdown during start-up can deadlock. Until now, SIGTERM
		// just ends the JVM.
		EmbeddedProcess.serving(args, server::shutdown);
		server.awaitShutdown();
	}

	private static Properties properties(int port, Path directory) {
		int node = Integer.getInteger(NODE, 1);
		String voters = System.getProperty(VOTERS, voters(Ports.free(1)));
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
