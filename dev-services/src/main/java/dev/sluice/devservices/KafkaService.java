package dev.sluice.devservices;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.common.Node;

/**
 * A running Kafka with one broker or three. It has no topics and does not create them
 * automatically.
 */
public final class KafkaService extends Servers {

	/** Further options for the brokers' JVMs, separated by spaces. */
	static final String OPTIONS = System.getenv().getOrDefault("TEST_KAFKA_OPTS", "");

	private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

	/**
	 * Consecutive successful checks. A broker that was frozen may for a moment report the
	 * state from before.
	 */
	private static final int CHECKS = 4;

	private static final int CHECK_TIMEOUT_MILLIS = 2_000;

	private final String bootstrapServers;

	/**
	 * Starts nothing.
	 * @param brokers in the order of their node ids, from 1
	 */
	KafkaService(String bootstrapServers, List<Breakable> brokers) {
		super(brokers);
		this.bootstrapServers = bootstrapServers;
	}

	/**
	 * The brokers of one cluster. Starts none.
	 * @param host where clients find them
	 * @param ports the port of each broker
	 * @param controllers {@code host:port} of the controller of each broker
	 */
	static KafkaService cluster(String host, List<Integer> ports, List<String> controllers, Maker maker) {
		String servers = ports.stream().map((port) -> host + ":" + port).collect(Collectors.joining(","));
		String voters = IntStream.rangeClosed(1, ports.size())
			.mapToObj((node) -> node + "@" + controllers.get(node - 1))
			.collect(Collectors.joining(","));
		return new KafkaService(servers,
				IntStream.rangeClosed(1, ports.size())
					.mapToObj((node) -> maker.broker((ports.size() == 1) ? "kafka" : "kafka-" + node, node, voters,
							() -> isInSync(servers, node)))
					.toList());
	}

	/**
	 * Properties of a broker, except where it listens and keeps its data. With three
	 * brokers, each has a copy of everything, and at least two have each acknowledged
	 * record, so one may be lost. A single broker has the only copy.
	 * @param voters the controllers of all brokers, separated by commas
	 * @return a new map
	 */
	static Map<String, String> properties(int node, String voters) {
		int brokers = voters.split(",").length;
		String copies = Integer.toString(brokers);
		String inSync = Integer.toString(Math.max(1, brokers - 1));
		Map<String, String> properties = new LinkedHashMap<>();
		properties.put("process.roles", "broker,controller");
		properties.put("node.id", Integer.toString(node));
		properties.put("controller.quorum.voters", voters);
		properties.put("controller.listener.names", "CONTROLLER");
		properties.put("auto.create.topics.enable", "false");
		properties.put("group.initial.rebalance.delay.ms", "0");
		// Allows a consumer's session timeout below 6 s, the default minimum.
		properties.put("group.min.session.timeout.ms", "3000");
		properties.put("default.replication.factor", copies);
		properties.put("min.insync.replicas", inSync);
		properties.put("offsets.topic.replication.factor", copies);
		properties.put("transaction.state.log.replication.factor", copies);
		properties.put("transaction.state.log.min.isr", inSync);
		if (brokers > 1) {
			// Until the controller misses a broker that is gone, the others wait for its
			// acknowledgement: 9 s by default.
			properties.put("broker.session.timeout.ms", "3000");
			properties.put("broker.heartbeat.interval.ms", "500");
			// Makes a broker that is back lead a third of the partitions again soon.
			properties.put("leader.imbalance.check.interval.seconds", "5");
		}
		return properties;
	}

	/** {@code host:port} of each broker, separated by commas; plain text. */
	public String bootstrapServers() {
		return this.bootstrapServers;
	}

	/**
	 * Its brokers, for faults in one of them. {@code start} and {@code unfreeze} return
	 * when the broker is in sync with the others, so that the next one may fail.
	 */
	public List<Breakable> brokers() {
		return this.servers;
	}

	/**
	 * Whether a broker serves and has caught up with the others.
	 * @param servers the cluster's
	 */
	private static boolean isInSync(String servers, int node) {
		int checks = servers.contains(",") ? CHECKS : 1;
		try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, servers,
				AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, CHECK_TIMEOUT_MILLIS,
				AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, CHECK_TIMEOUT_MILLIS))) {
			for (int passed = 0; passed < checks; passed++) {
				Thread.sleep((passed > 0) ? CHECK_INTERVAL : Duration.ZERO);
				if (!isInSync(admin, node)) {
					return false;
				}
			}
			return true;
		}
		catch (ExecutionException _) {
			return false;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	private static boolean isInSync(Admin admin, int node) throws InterruptedException, ExecutionException {
		Collection<Node> nodes = admin.describeCluster().nodes().get();
		Collection<String> topics = admin.listTopics(new ListTopicsOptions().listInternal(true)).names().get();
		return nodes.stream().anyMatch((other) -> other.id() == node) && admin.describeTopics(topics)
			.allTopicNames()
			.get()
			.values()
			.stream()
			.flatMap((topic) -> topic.partitions().stream())
			.filter((partition) -> partition.replicas().stream().anyMatch((replica) -> replica.id() == node))
			.allMatch((partition) -> partition.isr().stream().anyMatch((replica) -> replica.id() == node));
	}

	/** Makes a broker. */
	@FunctionalInterface
	interface Maker {

		/**
		 * Starts nothing.
		 * @param voters the controllers of all brokers, separated by commas
		 * @param inSync whether the broker serves and has caught up with the others
		 */
		Breakable broker(String name, int node, String voters, BooleanSupplier inSync);

	}

}
