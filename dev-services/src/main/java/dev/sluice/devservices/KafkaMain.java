package dev.sluice.devservices;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * The main class of the child JVM that runs Kafka: a node, broker and controller, on the
 * loopback interface. It is the only node, or one of several as {@link #jvmArgs} specify.
 * Arguments: see {@link EmbeddedProcess}.
 */
final class KafkaMain {

	/** Any id will do, because the cluster never meets another one. */
	private static final String CLUSTER_ID = "c2x1aWNlLWRldi1rYWZrYQ";

	private static final String NODE = "sluice.kafka.node";

	private static final String VOTERS = "sluice.kafka.voters";

	private KafkaMain() {
	}

	/** JVM options of one node of several. */
	static List<String> jvmArgs(int node, String voters) {
		return List.of("-D%s=%s".formatted(NODE, node), "-D%s=%s".formatted(VOTERS, voters));
	}

	/**
	 * The quorum voters of several nodes.
	 * @param ports the controllers' ports, of node 1, 2, …
	 */
	static String voters(List<Integer> ports) {
		return IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> "%s@127.0.0.1:%s".formatted(node, ports.get(node - 1)))
			.collect(Collectors.joining(","));
	}

	public static void main(String[] args) throws IOException {
		// Kafka names its files in the default locale, and some locales have other
		// digits.
		Locale.setDefault(Locale.ROOT);
		Path directory = Path.of(args[1]);
		Properties properties = properties(Integer.parseInt(args[0]), directory);
		format(properties, directory);
		KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
		server.startup();
		// Only now, because a shutdown during start-up can deadlock. Until now, SIGTERM
		// just ends the JVM.
		EmbeddedProcess.serving(args, server::shutdown);
		server.awaitShutdown();
	}

	private static Properties properties(int port, Path directory) {
		int node = Integer.getInteger(NODE, 1);
		List<String> voters = List.of(System.getProperty(VOTERS, voters(Ports.free(1))).split(","));
		String controller = voters.get(node - 1).replaceFirst(".*@", "");
		Properties properties = new Properties();
		properties.putAll(Map.of("process.roles", "broker,controller", "node.id", Integer.toString(node),
				"controller.quorum.voters", String.join(",", voters), "controller.listener.names", "CONTROLLER",
				"listeners", "PLAINTEXT://127.0.0.1:%s,CONTROLLER://%s".formatted(port, controller),
				"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT", "log.dirs",
				directory.resolve("data").toString(), "auto.create.topics.enable", "false",
				"group.initial.rebalance.delay.ms", "0"));
		// Allows a consumer's session timeout below 6 s, the default minimum.
		properties.put("group.min.session.timeout.ms", "3000");
		properties.putAll(KafkaCluster.properties(voters.size()));
		return properties;
	}

	/** Not as UTF-8: Kafka's tools read ISO 8859-1, with escapes. */
	static void store(Properties properties, Path file) throws IOException {
		try (OutputStream out = Files.newOutputStream(file)) {
			properties.store(out, null);
		}
	}

	/** Formats a new directory. Leaves a formatted one as it is. */
	private static void format(Properties properties, Path directory) throws IOException {
		Files.createDirectories(directory);
		Path file = directory.resolve("server.properties");
		store(properties, file);
		int status = StorageTool.execute(new String[] { "format", "--cluster-id", CLUSTER_ID, "--config",
				file.toString(), "--ignore-formatted" }, System.out);
		if (status != 0) {
			throw new IOException("cannot format %s: the storage tool ended with %s".formatted(directory, status));
		}
	}

}
