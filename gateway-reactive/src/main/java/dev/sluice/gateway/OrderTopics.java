package dev.sluice.gateway;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;
import org.springframework.stereotype.Component;

/**
 * Creates the topics that are missing. Start-up does not wait for it: it tries again each
 * second until Kafka has answered once. Until then nothing is enqueued, or the broker
 * would make the topic by itself, with one partition. One thread of its own, which ends
 * with its work.
 */
@Component
class OrderTopics implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(OrderTopics.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final List<NewTopic> topics;

	private final KafkaAdmin admin;

	private final KafkaTemplate<String, byte[]> kafka;

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("order-topics").factory());

	private volatile boolean ready;

	private volatile boolean running;

	private boolean warned;

	OrderTopics(QueueProperties properties, KafkaAdmin admin, KafkaTemplate<String, byte[]> kafka) {
		int partitions = properties.partitions();
		short replicas = properties.replicationFactor();
		this.topics = List.of(new NewTopic(Topics.ORDERS, partitions, replicas),
				new NewTopic(Topics.ORDER_OUTCOMES, partitions, replicas)
					.configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT)),
				new NewTopic(Topics.ORDERS_DLT, partitions, replicas).configs(
						Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(Topics.ORDERS_DLT_MAX_BYTES))));
		this.admin = admin;
		this.kafka = kafka;
	}

	/** Whether Kafka has been there once, with all topics. It stays so. */
	boolean ready() {
		return this.ready;
	}

	@Override
	public void start() {
		this.running = true;
		this.executor.execute(this::attempt);
	}

	private void attempt() {
		try {
			create();
			// Also fetches the producer's metadata, which the first order would wait for.
			this.kafka.partitionsFor(Topics.ORDERS);
			this.ready = true;
			logger.info("The topics are there");
			this.executor.shutdown();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException | KafkaException ex) {
			if (!this.warned) {
				this.warned = true;
				logger.warn("Kafka at {} does not answer; queued orders are refused until it does: {}",
						this.admin.getConfigurationProperties().get("bootstrap.servers"), ex.toString());
			}
			if (this.running) {
				this.executor.schedule(this::attempt, RETRY.toMillis(), TimeUnit.MILLISECONDS);
			}
		}
	}

	private void create() throws InterruptedException, ExecutionException, TimeoutException {
		try (Admin client = Admin.create(this.admin.getConfigurationProperties())) {
			for (var creation : client.createTopics(this.topics).values().values()) {
				try {
					creation.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
				}
				catch (ExecutionException ex) {
					if (!(ex.getCause() instanceof TopicExistsException)) {
						throw ex;
					}
				}
			}
			awaitLeaders(client);
		}
	}

	/**
	 * Until the leader of each partition serves it. An idempotent producer that meets a
	 * topic just created may have its first batch refused and its second taken, and then
	 * never gets the first one in (KAFKA-15591).
	 */
	private void awaitLeaders(Admin client) throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetSpec> ends = client.describeTopics(this.topics.stream().map(NewTopic::name).toList())
			.allTopicNames()
			.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)
			.values()
			.stream()
			.flatMap((topic) -> topic.partitions()
				.stream()
				.map((partition) -> new TopicPartition(topic.name(), partition.partition())))
			.collect(Collectors.toMap((partition) -> partition, (_) -> OffsetSpec.latest()));
		client.listOffsets(ends).all().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
	}

	@Override
	public void stop() {
		this.running = false;
		this.executor.shutdownNow();
	}

	@Override
	public boolean isRunning() {
		return this.running;
	}

}
