package dev.sluice.sink;

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

/**
 * Creates the topic if it is missing. Start-up does not wait for it: it tries again each
 * second until Kafka has answered once. Until then nothing is stored, or the broker would
 * make the topic by itself. One thread of its own, which ends with its work.
 */
final class SinkTopic implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(SinkTopic.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private final NewTopic topic;

	private final KafkaAdmin admin;

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("sink-topic").factory());

	private volatile boolean ready;

	private volatile boolean running;

	private boolean warned;

	SinkTopic(SinkProperties properties, KafkaAdmin admin) {
		this.topic = new NewTopic(Topics.SINK, properties.partitions(), properties.replicationFactor()).configs(Map
			.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(recordBytes(properties.maxMessageBytes()))));
		this.admin = admin;
	}

	/** The largest record batch that a message of that size makes. */
	static int recordBytes(int maxMessageBytes) {
		return maxMessageBytes + 4 * 1024;
	}

	/** Whether Kafka has been there once, with the topic. It stays so. */
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
			this.ready = true;
			logger.info("The topic {} is there", Topics.SINK);
			this.executor.shutdown();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException | KafkaException ex) {
			if (!this.warned) {
				this.warned = true;
				logger.warn("Kafka at {} does not answer; messages are refused until it does: {}",
						this.admin.getConfigurationProperties().get("bootstrap.servers"), ex.toString());
			}
			retry();
		}
	}

	@SuppressWarnings("FutureReturnValueIgnored") // An attempt answers for its own
													// failures.
	private void retry() {
		if (this.running) {
			this.executor.schedule(this::attempt, RETRY.toMillis(), TimeUnit.MILLISECONDS);
		}
	}

	private void create() throws InterruptedException, ExecutionException, TimeoutException {
		try (Admin client = Admin.create(this.admin.getConfigurationProperties())) {
			try {
				client.createTopics(List.of(this.topic)).all().get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
			}
			catch (ExecutionException ex) {
				if (!(ex.getCause() instanceof TopicExistsException)) {
					throw ex;
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
	private static void awaitLeaders(Admin client) throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetSpec> ends = client.describeTopics(List.of(Topics.SINK))
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
