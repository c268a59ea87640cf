package dev.sluice.devservices;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;

import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/**
 * The main class of the child JVM that is Kafka: one node, broker and controller, on the
 * loopback interface. Arguments: see {@link EmbeddedProcess}.
 */
final class KafkaMain {

	/** Any will do: it never meets another cluster. */
	private static final String CLUSTER_ID = "c2x1aWNlLWRldi1rYWZrYQ";

	private KafkaMain() {
	}

	public static void main(String[] args) throws IOException {
		Path directory = Path.of(args[1]);
		Properties properties = properties(Integer.parseInt(args[0]), Ports.free(), directory);
		format(properties, directory);
		KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties, false), Time.SYSTEM);
		server.startup();
		// Only now: a shutdown during the start-up can deadlock. Before, SIGTERM just
		// ends it.
		EmbeddedProcess.serving(args, server::shutdown);
		server.awaitShutdown();
	}

	private static Properties properties(int port, int controllerPort, Path directory) {
		Properties properties = new Properties();
		properties.putAll(Map.of("process.roles", "broker,controller", "node.id", "1", "controller.quorum.voters",
				"1@127.0.0.1:" + controllerPort, "controller.listener.names", "CONTROLLER", "listeners",
				"PLAINTEXT://127.0.0.1:%d,CONTROLLER://127.0.0.1:%d".formatted(port, controllerPort),
				"listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT", "log.dirs",
				directory.resolve("data").toString(), "auto.create.topics.enable", "false",
				"group.initial.rebalance.delay.ms", "0"));
		// So that who wants a killed consumer to be missed sooner than in 6 s may say so.
		properties.put("group.min.session.timeout.ms", "3000");
		// One node: what Kafka keeps for itself cannot have three copies.
		for (String topic : new String[] { "offsets.topic", "transaction.state.log",
				"share.coordinator.state.topic" }) {
			properties.put(topic + ".replication.factor", "1");
		}
		properties.put("transaction.state.log.min.isr", "1");
		properties.put("share.coordinator.state.topic.min.isr", "1");
		return properties;
	}

	/** Gives a new directory its cluster id; leaves one that has it. */
	private static void format(Properties properties, Path directory) throws IOException {
		Files.createDirectories(directory);
		Path file = directory.resolve("server.properties");
		try (var writer = Files.newBufferedWriter(file)) {
			properties.store(writer, null);
		}
		int status = StorageTool.execute(new String[] { "format", "--cluster-id", CLUSTER_ID, "--config",
				file.toString(), "--ignore-formatted" }, System.out);
		if (status != 0) {
			throw new IOException("cannot format %s: the storage tool ended with %d".formatted(directory, status));
		}
	}

}
