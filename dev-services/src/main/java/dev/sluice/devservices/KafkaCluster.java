package dev.sluice.devservices;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListTopicsOptions;
import org.apache.kafka.clients.admin.TopicDescription;

/** The brokers of one Kafka. A single broker is a cluster, too. */
final class KafkaCluster implements Server, KafkaService {

	private static final Duration CHECK_INTERVAL = Duration.ofMillis(250);

	/**
	 * Consecutive successful checks. A broker that was frozen may for a moment report the
	 * state from before.
	 */
	private static final int CHECKS = 4;

	private static final int CHECK_TIMEOUT_MILLIS = 2_000;

	private final List<? extends KafkaBroker> brokers;

	private final Runnable last;

	private volatile boolean closed;

	/** Starts nothing. */
	KafkaCluster(List<? extends KafkaBroker> brokers) {
		this(brokers, () -> {
		});
	}

	/**
	 * Starts nothing.
	 * @param brokers in the order of their node ids, from 1
	 * @param last closes what the brokers share, after the brokers
	 */
	KafkaCluster(List<? extends KafkaBroker> brokers, Runnable last) {
		this.brokers = List.copyOf(brokers);
		this.last = last;
	}

	/**
	 * Properties of each broker. With three brokers, each has a copy of everything, and
	 * at least two have each acknowledged record, so one may be lost. A single broker has
	 * the only copy.
	 */
	static Map<String, String> properties(int brokers) {
		String copies = Integer.toString(brokers);
		String inSync = Integer.toString(Math.max(1, brokers - 1));
		Map<String, String> properties = new LinkedHashMap<>();
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

	/** Starts the brokers in parallel: none is ready before most of them run. */
	@Override
	public void start() {
		try {
			all(KafkaBroker::start);
		}
		catch (RuntimeException ex) {
			if (this.brokers.size() > 1) {
				// Stops the brokers that did start.
				close();
			}
			throw ex;
		}
	}

	@Override
	public void kill() {
		all(KafkaBroker::kill);
	}

	/** Stops the brokers in parallel: a broker that stops hands over its partitions. */
	@Override
	public void stop() {
		all(KafkaBroker::stop);
	}

	@Override
	public void freeze() {
		all(KafkaBroker::freeze);
	}

	@Override
	public void unfreeze() {
		all(KafkaBroker::unfreeze);
	}

	@Override
	public void close() {
		this.closed = true;
		try {
			all(KafkaBroker::close);
		}
		finally {
			this.last.run();
		}
	}

	@Override
	public String bootstrapServers() {
		return this.brokers.stream().map(KafkaBroker::address).collect(Collectors.joining(","));
	}

	@Override
	public List<Breakable> brokers() {
		return IntStream.rangeClosed(1, this.brokers.size())
			.<Breakable>mapToObj((node) -> new Member(node, this.brokers.get(node - 1)))
			.toList();
	}

	/**
	 * Does this to all brokers in parallel, even if some fail, and throws the first
	 * failure. An interrupt of this thread interrupts all of them.
	 */
	private void all(Consumer<KafkaBroker> action) {
		Queue<RuntimeException> failures = new ConcurrentLinkedQueue<>();
		try (ExecutorService executor = Executors.newVirtualThreadPerTaskExecutor()) {
			this.brokers.forEach((broker) -> executor.execute(() -> {
				try {
					action.accept(broker);
				}
				catch (RuntimeException ex) {
					failures.add(ex);
				}
			}));
		}
		RuntimeException first = failures.peek();
		if (first != null) {
			throw first;
		}
	}

	private void awaitInSync(int node) {
		if (this.brokers.size() == 1) {
			return;
		}
		long deadline = System.nanoTime() + DevServices.startTimeout().toNanos();
		try (Admin admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, bootstrapServers(),
				AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, CHECK_TIMEOUT_MILLIS,
				AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, CHECK_TIMEOUT_MILLIS))) {
			for (int passed = 0; passed < CHECKS; passed = isInSync(admin, node) ? passed + 1 : 0) {
				if (this.closed) {
					throw new StartFailedException("Kafka was stopped while broker %s caught up".formatted(node));
				}
				if (System.nanoTime() - deadline > 0) {
					throw new StartFailedException("broker %s runs but has not caught up with the others within %s s"
						.formatted(node, DevServices.startTimeout().toSeconds()));
				}
				Thread.sleep(CHECK_INTERVAL);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new StartFailedException("interrupted while broker %s caught up".formatted(node), ex);
		}
	}

	private static boolean isInSync(Admin admin, int node) throws InterruptedException {
		try {
			Collection<String> topics = admin.listTopics(new ListTopicsOptions().listInternal(true))
				.names()
				.get(CHECK_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
			Collection<TopicDescription> descriptions = admin.describeTopics(topics)
				.allTopicNames()
				.get(CHECK_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
				.values();
			return descriptions.stream()
				.flatMap((topic) -> topic.partitions().stream())
				.filter((partition) -> partition.replicas().stream().anyMatch((replica) -> replica.id() == node))
				.allMatch((partition) -> partition.isr().stream().anyMatch((replica) -> replica.id() == node));
		}
		catch (ExecutionException | TimeoutException _) {
			return false;
		}
	}

	/** A broker of the cluster. It is ready when it has caught up with the others. */
	private final class Member implements Breakable {

		private final int node;

		private final KafkaBroker broker;

		Member(int node, KafkaBroker broker) {
			this.node = node;
			this.broker = broker;
		}

		@Override
		public void kill() {
			this.broker.kill();
		}

		@Override
		public void stop() {
			this.broker.stop();
		}

		@Override
		public void start() {
			this.broker.start();
			awaitInSync(this.node);
		}

		@Override
		public void freeze() {
			this.broker.freeze();
		}

		@Override
		public void unfreeze() {
			this.broker.unfreeze();
			awaitInSync(this.node);
		}

	}

}
