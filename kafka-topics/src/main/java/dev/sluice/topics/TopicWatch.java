package dev.sluice.topics;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
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
public final class TopicWatch implements AutoCloseable {

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

	private final Map<String, TopicSpec> specs = new TreeMap<>();

	private final Map<String, Object> client = new HashMap<>();

	private final Preparation preparation;

	private final Function<Map<String, Object>, Admin> admins;

	private volatile TopicsState state = TopicsState.INITIAL;

	@GuardedBy("this")
	private @Nullable Thread thread;

	private volatile boolean closed;

	/** Whether to check immediately and prepare again. */
	@GuardedBy("this")
	private boolean again;

	/** Confined to the watch's thread. */
	private @Nullable Admin admin;

	/**
	 * Does nothing until it is started.
	 * @param specs the topics
	 * @param client configuration of an admin client
	 */
	public TopicWatch(Collection<TopicSpec> specs, Map<String, Object> client) {
		this(specs, client, () -> {
		});
	}

	/**
	 * Does nothing until it is started.
	 * @param preparation called on the watch's thread before the topics become ready, and
	 * again after one of them was created again
	 */
	public TopicWatch(Collection<TopicSpec> specs, Map<String, Object> client, Preparation preparation) {
		this(specs, client, preparation, Admin::create);
	}

	/**
	 * Does nothing until it is started.
	 * @param admins creates the admin client with a configuration
	 */
	public TopicWatch(Collection<TopicSpec> specs, Map<String, Object> client, Preparation preparation,
			Function<Map<String, Object>, Admin> admins) {
		specs.forEach((spec) -> this.specs.put(spec.name(), spec));
		this.client.putAll(client);
		this.client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		this.client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS / 2);
		this.preparation = preparation;
		this.admins = admins;
	}

	/** What a service does once its topics exist, before it uses them. */
	@FunctionalInterface
	public interface Preparation {

		/**
		 * @throws RuntimeException if it fails; the watch calls it again a second later
		 */
		void prepare() throws InterruptedException;

	}

	/** Starts the watch and returns immediately. Further calls have no effect. */
	public synchronized void start() {
		if (this.thread == null && !this.closed) {
			this.thread = Thread.ofPlatform().daemon().name("topic-watch").start(this::run);
		}
	}

	/** The state at the last check. */
	public TopicsState state() {
		return this.state;
	}

	/** {@link TopicsState#ready()} at the last check. */
	public boolean ready() {
		return this.state.ready();
	}

	/**
	 * Waits until all topics are ready, without a timeout.
	 * @return the state in which they are ready
	 * @throws InterruptedException if this thread is interrupted
	 */
	public TopicsState await() throws InterruptedException {
		return await(TopicsState::ready);
	}

	/**
	 * Waits for a state, without a timeout.
	 * @return the first state that matches
	 * @throws InterruptedException if this thread is interrupted
	 */
	public synchronized TopicsState await(Predicate<TopicsState> wanted) throws InterruptedException {
		while (!wanted.test(this.state)) {
			wait();
		}
		return this.state;
	}

	/**
	 * Waits until all topics are ready or the timeout has passed.
	 * @return whether they are
	 */
	public synchronized boolean await(Duration timeout) throws InterruptedException {
		long deadline = System.nanoTime() + timeout.toNanos();
		long left = timeout.toNanos();
		while (!this.state.ready() && left > 0) {
			TimeUnit.NANOSECONDS.timedWait(this, left);
			left = deadline - System.nanoTime();
		}
		return this.state.ready();
	}

	/**
	 * Makes the watch check immediately. The topics are not ready until the preparation
	 * has run again.
	 */
	public synchronized void prepareAgain() {
		this.again = true;
		this.state = this.state.withReady(false);
		notifyAll();
	}

	private void run() {
		try {
			while (!this.closed) {
				pause(check());
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

	private synchronized void pause(Duration longest) throws InterruptedException {
		long deadline = System.nanoTime() + longest.toNanos();
		long left = longest.toNanos();
		while (!this.again && left > 0) {
			TimeUnit.NANOSECONDS.timedWait(this, left);
			left = deadline - System.nanoTime();
		}
		this.again = false;
	}

	/**
	 * @return how long to wait before the next check
	 */
	private Duration check() throws InterruptedException {
		try {
			Map<String, TopicDescription> found = describe();
			List<String> missing = this.specs.keySet().stream().filter((name) -> !found.containsKey(name)).toList();
			if (!missing.isEmpty()) {
				missing(found, missing);
				create(missing);
				return CREATED;
			}
			Map<String, Uuid> ids = ids(found);
			if (!this.state.ready() || !ids.equals(this.state.ids())) {
				prepare(found, ids);
			}
			publish(new TopicsState(true, ids, List.of(), differences(found), null));
			return INTERVAL;
		}
		catch (ExecutionException ex) {
			failed(ex.getCause());
		}
		catch (TimeoutException | RuntimeException | Error ex) {
			failed(ex);
		}
		return RETRY;
	}

	private void missing(Map<String, TopicDescription> found, List<String> missing) {
		TopicsState before = this.state;
		if (missing.stream().anyMatch((name) -> before.ids().containsKey(name))) {
			logger.warn("Topics {} have been deleted; creating them again", missing);
		}
		publish(new TopicsState(false, ids(found), missing, before.differences(),
				before.equals(TopicsState.INITIAL) ? null : before.problem()));
	}

	private void prepare(Map<String, TopicDescription> found, Map<String, Uuid> ids)
			throws InterruptedException, ExecutionException, TimeoutException {
		publish(new TopicsState(false, ids, List.of(), this.state.differences(), null));
		awaitLeaders(found.values());
		this.preparation.prepare();
		logger.info("The topics {} are ready", this.specs.keySet());
	}

	private void failed(@Nullable Throwable cause) {
		boolean refused = cause instanceof KafkaRefusal;
		// Clients may see the health. They must not learn addresses.
		String problem = (cause instanceof KafkaRefusal refusal) ? String.valueOf(refusal.getMessage())
				: "Kafka does not answer: " + ((cause != null) ? cause.getClass().getSimpleName() : "no reason");
		TopicsState before = this.state;
		// Kafka's exceptions vary from one failure to the next.
		boolean news = before.problem() == null || before.equals(TopicsState.INITIAL)
				|| (refused && !problem.equals(before.problem()));
		if (news) {
			logger.warn("The topics {} of Kafka at {} cannot be checked. Retrying until they can: {}",
					this.specs.keySet(), this.client.get("bootstrap.servers"),
					refused ? problem : String.valueOf(cause));
		}
		publish(before.withProblem(problem));
	}

	private synchronized void publish(TopicsState seen) {
		TopicsState before = this.state;
		seen.differences()
			.stream()
			.filter((difference) -> !before.differences().contains(difference))
			.forEach((difference) -> logger.warn("{}", difference));
		if (before.problem() != null && seen.problem() == null && !before.equals(TopicsState.INITIAL)) {
			logger.info("Kafka answers again, and the topics {} can be checked", this.specs.keySet());
		}
		// prepareAgain may have been called during the check.
		this.state = this.again ? seen.withReady(false) : seen;
		notifyAll();
	}

	private Map<String, TopicDescription> describe() throws InterruptedException, ExecutionException, TimeoutException {
		Map<String, TopicDescription> found = new TreeMap<>();
		for (var topic : admin().describeTopics(this.specs.keySet()).topicNameValues().entrySet()) {
			try {
				found.put(topic.getKey(), get(topic.getValue()));
			}
			catch (ExecutionException ex) {
				if (ex.getCause() instanceof AuthorizationException) {
					throw new KafkaRefusal(
							"This service may not see topic %s: grant DESCRIBE on it to the service's user"
								.formatted(topic.getKey()),
							ex);
				}
				if (!(ex.getCause() instanceof UnknownTopicOrPartitionException)) {
					throw ex;
				}
			}
		}
		return found;
	}

	private void create(List<String> missing) throws InterruptedException, ExecutionException, TimeoutException {
		List<TopicSpec> topics = missing.stream().map(this.specs::get).toList();
		for (var topic : admin().createTopics(topics.stream().map(TopicSpec::toNewTopic).toList())
			.values()
			.entrySet()) {
			try {
				get(topic.getValue());
				logger.info("Created {}", this.specs.get(topic.getKey()));
			}
			catch (ExecutionException ex) {
				if (ex.getCause() instanceof AuthorizationException) {
					throw new KafkaRefusal(
							"Topic %s is missing and this service may not create it: create it, or grant CREATE on it"
								.formatted(topic.getKey()),
							ex);
				}
				if (!(ex.getCause() instanceof TopicExistsException)) {
					throw ex;
				}
			}
		}
	}

	/**
	 * Waits until the leader of each partition serves it. A broker may refuse the first
	 * batch of an idempotent producer to a topic that was just created, and accept the
	 * second. The first one then never succeeds (KAFKA-15591).
	 */
	private void awaitLeaders(Collection<TopicDescription> topics)
			throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetSpec> ends = topics.stream()
			.flatMap((topic) -> topic.partitions()
				.stream()
				.map((partition) -> new TopicPartition(topic.name(), partition.partition())))
			.collect(Collectors.toMap((partition) -> partition, (_) -> OffsetSpec.latest()));
		get(admin().listOffsets(ends).all());
	}

	private List<TopicDifference> differences(Map<String, TopicDescription> found)
			throws InterruptedException, ExecutionException, TimeoutException {
		List<TopicDifference> differences = new ArrayList<>();
		for (TopicSpec spec : this.specs.values()) {
			TopicDescription topic = found.get(spec.name());
			if (topic != null) {
				compare(differences, spec, TopicDifference.PARTITIONS, topic.partitions().size(), spec.partitions());
				compare(differences, spec, TopicDifference.REPLICATION_FACTOR,
						topic.partitions()
							.stream()
							.mapToInt((partition) -> partition.replicas().size())
							.min()
							.orElse(0),
						spec.replicationFactor());
			}
		}
		for (var config : admin()
			.describeConfigs(this.specs.keySet()
				.stream()
				.map((name) -> new ConfigResource(ConfigResource.Type.TOPIC, name))
				.toList())
			.values()
			.entrySet()) {
			TopicSpec spec = this.specs.get(config.getKey().name());
			if (spec != null) {
				compare(differences, spec, config.getValue());
			}
		}
		return differences;
	}

	private static void compare(List<TopicDifference> differences, TopicSpec spec, KafkaFuture<Config> configs)
			throws InterruptedException, ExecutionException, TimeoutException {
		Config found;
		try {
			found = get(configs);
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof AuthorizationException)) {
				throw ex;
			}
			compare(differences, spec, TopicDifference.CONFIGURATION, "that may not be read",
					String.valueOf(spec.configs()));
			return;
		}
		spec.configs().forEach((name, wanted) -> {
			ConfigEntry entry = found.get(name);
			compare(differences, spec, name, (entry != null) ? entry.value() : null, wanted);
		});
	}

	private static void compare(List<TopicDifference> differences, TopicSpec spec, String setting,
			@Nullable Object found, Object wanted) {
		if (!String.valueOf(found).equals(String.valueOf(wanted))) {
			differences.add(new TopicDifference(spec.name(), setting, String.valueOf(found), String.valueOf(wanted)));
		}
	}

	private Admin admin() {
		Admin current = this.admin;
		if (current == null) {
			current = this.admins.apply(this.client);
			this.admin = current;
		}
		return current;
	}

	private static <T> T get(KafkaFuture<T> future) throws InterruptedException, ExecutionException, TimeoutException {
		return future.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
	}

	private static Map<String, Uuid> ids(Map<String, TopicDescription> topics) {
		return topics.values().stream().collect(Collectors.toMap(TopicDescription::name, TopicDescription::topicId));
	}

	/**
	 * Stops the watch, even during a request. Threads that wait for the topics are not
	 * woken.
	 */
	@Override
	public void close() {
		Thread watch;
		synchronized (this) {
			this.closed = true;
			watch = this.thread;
		}
		if (watch != null) {
			watch.interrupt();
		}
	}

	/** A refusal that an operator must resolve; the message says how. */
	private static final class KafkaRefusal extends KafkaException {

		private static final long serialVersionUID = 1L;

		private KafkaRefusal(String message, Throwable cause) {
			super(message, cause);
		}

	}

}
