package dev.sluice.topics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the topics of a service in place. It checks them every few seconds, creates those
 * that are missing, waits for their leaders, and compares the others with their
 * specification. If a topic exists, the service needs no permission to create it.
 * <p>
 * It has one daemon thread and one connection to Kafka, from {@link #start} to
 * {@link #close}. Every request has a deadline. After a failure the watch retries every
 * second, without limit. It logs each change once.
 */
public class TopicWatch implements AutoCloseable {

	private static final Logger logger = LoggerFactory.getLogger(TopicWatch.class);

	/**
	 * Pause between checks while all is well: how long a deleted topic goes unnoticed.
	 */
	static final Duration INTERVAL = Duration.ofSeconds(3);

	/** Pause after a failure. */
	private static final Duration RETRY = Duration.ofSeconds(1);

	/** Pause after topics were created, until all brokers know them. */
	private static final Duration CREATED = Duration.ofMillis(100);

	private static final int TIMEOUT_MILLIS = 10_000;

	private final Map<String, NewTopic> specs = new TreeMap<>();

	private final Map<String, Object> client = new HashMap<>();

	/** Confined to the watch's thread. */
	private @Nullable Admin admin;

	private volatile State state = new State(false, Map.of(), List.of(), List.of(), "Kafka has not answered yet");

	private volatile boolean reached;

	private final Thread thread = Thread.ofPlatform().daemon().name("topic-watch").unstarted(this::run);

	/**
	 * Does nothing until it is started.
	 * @param specs the topics
	 * @param client configuration of an admin client
	 */
	public TopicWatch(Collection<NewTopic> specs, Map<String, Object> client) {
		specs.forEach((spec) -> this.specs.put(spec.name(), spec));
		this.client.putAll(client);
		this.client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		this.client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS / 2);
	}

	/**
	 * What the service does once its topics exist, before it uses them, and again after
	 * one of them was created again. If it fails, it is called again a second later.
	 * @throws InterruptedException if the watch is closed
	 */
	protected void prepare() throws InterruptedException {
	}

	/** Creates the admin client. */
	protected Admin connect(Map<String, Object> config) {
		return Admin.create(config);
	}

	/** Starts the watch and returns immediately. */
	public void start() {
		this.thread.start();
	}

	State state() {
		return this.state;
	}

	/** What the last check has found, for a health endpoint. */
	public Map<String, Object> details() {
		State seen = this.state;
		Map<String, Object> details = new LinkedHashMap<>();
		details.put("ready", seen.ready());
		details.put("missing", seen.missing());
		details.put("differences", seen.differences());
		details.put("problem", Objects.requireNonNullElse(seen.problem(), List.of()));
		// What there is none of is left out.
		details.values().removeIf(List.of()::equals);
		return details;
	}

	/**
	 * Whether all topics were there and prepared when Kafka last answered. An outage of
	 * Kafka does not change it.
	 */
	public boolean ready() {
		return this.state.ready();
	}

	/** Whether all topics have been there once. Stays true. */
	public boolean reached() {
		return this.reached;
	}

	/** The ids of the topics; empty while one is missing. */
	public Map<String, Uuid> ids() {
		State seen = this.state;
		return seen.ready() ? seen.ids() : Map.of();
	}

	/** Waits until all topics are ready, without a timeout, and returns their ids. */
	public synchronized Map<String, Uuid> await() throws InterruptedException {
		while (!this.state.ready()) {
			wait();
		}
		return this.state.ids();
	}

	private void run() {
		try {
			while (true) {
				Thread.sleep(checkOrFail());
			}
		}
		catch (InterruptedException ex) {
			logger.debug("Stopped watching topics");
		}
		finally {
			if (this.admin != null) {
				this.admin.close(Duration.ZERO);
			}
		}
	}

	private Duration checkOrFail() throws InterruptedException {
		try {
			if (this.admin == null) {
				this.admin = connect(this.client);
			}
			return check(this.admin);
		}
		catch (RuntimeException | Error ex) {
			failed(ex);
			return RETRY;
		}
	}

	/** Returns how long to wait before the next check. */
	private Duration check(Admin admin) throws InterruptedException {
		Map<String, TopicDescription> found = describe(admin);
		Map<String, Uuid> ids = found.values()
			.stream()
			.collect(Collectors.toUnmodifiableMap(TopicDescription::name, TopicDescription::topicId));
		State before = this.state;
		List<String> missing = this.specs.keySet().stream().filter((name) -> !found.containsKey(name)).toList();
		if (missing.stream().anyMatch(before.ids()::containsKey)) {
			logger.warn("Topics {} have been deleted; creating them again", missing);
		}
		boolean ready = before.ready() && ids.equals(before.ids()) && missing.isEmpty();
		if (!ready) {
			publish(new State(false, ids, missing, before.differences(), before.problem()));
		}
		if (!missing.isEmpty()) {
			create(admin, missing);
			return CREATED;
		}
		if (!ready) {
			awaitLeaders(admin, found.values());
			prepare();
			logger.info("The topics {} are ready", this.specs.keySet());
		}
		publish(new State(true, ids, List.of(), differences(admin, found), null));
		return INTERVAL;
	}

	private void failed(Throwable cause) {
		// Clients may see the health: they must not learn addresses. What else Kafka's
		// exceptions say varies from one failure to the next.
		String problem = (cause instanceof AuthorizationException) ? String.valueOf(cause.getMessage())
				: "Kafka does not answer";
		State before = this.state;
		if (!problem.equals(before.problem())) {
			logger.warn("The topics {} of Kafka at {} cannot be checked. Retrying until they can: {}",
					this.specs.keySet(), this.client.get("bootstrap.servers"), cause.toString());
		}
		publish(new State(before.ready(), before.ids(), before.missing(), before.differences(), problem));
	}

	private synchronized void publish(State seen) {
		State before = this.state;
		seen.differences()
			.stream()
			.filter((difference) -> !before.differences().contains(difference))
			.forEach(logger::warn);
		if (before.problem() != null && seen.problem() == null) {
			logger.info("Kafka answers, and the topics {} can be checked", this.specs.keySet());
		}
		this.state = seen;
		this.reached |= seen.ready();
		notifyAll();
	}

	private Map<String, TopicDescription> describe(Admin admin) throws InterruptedException {
		Map<String, TopicDescription> found = new TreeMap<>();
		for (var topic : admin.describeTopics(this.specs.keySet()).topicNameValues().entrySet()) {
			try {
				found.put(topic.getKey(), get(topic.getValue()));
			}
			catch (AuthorizationException ex) {
				throw new AuthorizationException(
						"This service may not see topic %s: grant DESCRIBE on it to the service's user"
							.formatted(topic.getKey()),
						ex);
			}
			catch (UnknownTopicOrPartitionException _) {
				// It is missing.
			}
		}
		return found;
	}

	private void create(Admin admin, List<String> missing) throws InterruptedException {
		List<NewTopic> wanted = this.specs.values().stream().filter((spec) -> missing.contains(spec.name())).toList();
		for (var topic : admin.createTopics(wanted).values().entrySet()) {
			try {
				get(topic.getValue());
				logger.info("Created {}", this.specs.get(topic.getKey()));
			}
			catch (AuthorizationException ex) {
				throw new AuthorizationException(
						"Topic %s is missing and this service may not create it: create it, or grant CREATE on it"
							.formatted(topic.getKey()),
						ex);
			}
			catch (TopicExistsException _) {
				// Another service was faster.
			}
		}
	}

	/**
	 * Waits until the leader of each partition serves it. A broker may refuse the first
	 * batch of an idempotent producer to a topic that was just created, and accept the
	 * second. The first one then never succeeds (KAFKA-15591).
	 */
	private static void awaitLeaders(Admin admin, Collection<TopicDescription> topics) throws InterruptedException {
		Map<TopicPartition, OffsetSpec> ends = new HashMap<>();
		topics.forEach((topic) -> topic.partitions()
			.forEach((part) -> ends.put(new TopicPartition(topic.name(), part.partition()), OffsetSpec.latest())));
		get(admin.listOffsets(ends).all());
	}

	/** What differs is reported, and the service runs anyway. */
	private List<String> differences(Admin admin, Map<String, TopicDescription> found) throws InterruptedException {
		List<String> differences = new ArrayList<>();
		Map<ConfigResource, KafkaFuture<Config>> configs = admin
			.describeConfigs(this.specs.keySet()
				.stream()
				.map((name) -> new ConfigResource(ConfigResource.Type.TOPIC, name))
				.toList())
			.values();
		for (var config : configs.entrySet()) {
			String name = config.getKey().name();
			NewTopic spec = Objects.requireNonNull(this.specs.get(name));
			List<TopicPartitionInfo> partitions = Objects.requireNonNull(found.get(name)).partitions();
			int replicas = partitions.stream().mapToInt((part) -> part.replicas().size()).min().orElse(0);
			compare(differences, name, "partitions", partitions.size(), spec.numPartitions(),
					"set the service's number of partitions to what is found, or add partitions with kafka-topics.sh "
							+ "--alter --topic " + name + " --partitions " + spec.numPartitions()
							+ " while no order is queued");
			compare(differences, name, "replication.factor", replicas, spec.replicationFactor(),
					"set the service's replication factor to what is found, or move the topic's partitions with "
							+ "kafka-reassign-partitions.sh");
			try {
				Config actual = get(config.getValue());
				spec.configs().forEach((key, wanted) -> {
					ConfigEntry entry = actual.get(key);
					compare(differences, name, key, (entry != null) ? entry.value() : null, wanted,
							"kafka-configs.sh --alter --topic " + name + " --add-config " + key + "=" + wanted);
				});
			}
			catch (AuthorizationException _) {
				compare(differences, name, "configuration", "that may not be read", spec.configs(),
						"grant DESCRIBE_CONFIGS on topic " + name);
			}
		}
		return differences;
	}

	private static void compare(List<String> differences, String topic, String setting, @Nullable Object found,
			Object wanted, String remedy) {
		if (!String.valueOf(found).equals(wanted.toString())) {
			differences
				.add("topic %s has %s %s and should have %s: %s".formatted(topic, setting, found, wanted, remedy));
		}
	}

	/** Waits for an answer; throws what Kafka's client would throw. */
	private static <T> T get(KafkaFuture<T> answer) throws InterruptedException {
		try {
			return answer.get();
		}
		catch (ExecutionException ex) {
			throw (ex.getCause() instanceof RuntimeException cause) ? cause : new KafkaException(ex);
		}
	}

	/**
	 * Stops the watch, even during a request. Threads that wait for the topics are not
	 * woken.
	 */
	@Override
	public void close() {
		this.thread.interrupt();
	}

	/**
	 * What a check has found.
	 *
	 * @param ready whether all topics existed and had leaders, and the preparation has
	 * run
	 * @param ids ids of the existing topics; a topic that was deleted and created again
	 * has another id
	 * @param missing names of the missing topics
	 * @param differences the settings of existing topics that differ from their
	 * specifications, each with what an operator can do about it
	 * @param problem why the last check failed, or null
	 */
	record State(boolean ready, Map<String, Uuid> ids, List<String> missing, List<String> differences,
			@Nullable String problem) {
	}

}
