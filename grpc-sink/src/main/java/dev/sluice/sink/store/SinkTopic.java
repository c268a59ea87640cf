package dev.sluice.sink.store;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import com.google.protobuf.ByteString;
import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.core.KafkaAdmin;

/**
 * Creates the topic if it is missing and reads the ids at its end. Start-up does not wait
 * for it: it tries again each second until Kafka has answered. Until then nothing is
 * stored, or the broker would make the topic by itself and a repeat would not be known.
 * One thread of its own.
 */
public final class SinkTopic implements SmartLifecycle {

	private static final Logger logger = LoggerFactory.getLogger(SinkTopic.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final Duration TIMEOUT = Duration.ofSeconds(10);

	private static final Duration POLL = Duration.ofMillis(100);

	/** Of the topic's end: 60,000 messages of 20 KB take some 6 s. */
	private static final Duration READ_TIMEOUT = Duration.ofMinutes(2);

	private static final int FETCH_BYTES = 8 * 1024 * 1024;

	private final NewTopic topic;

	private final KafkaAdmin admin;

	private final RecentIds recent;

	private final ScheduledExecutorService executor = Executors
		.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("sink-topic").factory());

	private volatile boolean ready;

	private volatile boolean running;

	private boolean warned;

	/**
	 * Does nothing until it is started.
	 * @param topic as it is to be made
	 * @param admin knows the brokers
	 * @param recent where to the ids at the topic's end go
	 */
	public SinkTopic(NewTopic topic, KafkaAdmin admin, RecentIds recent) {
		this.topic = topic;
		this.admin = admin;
		this.recent = recent;
	}

	/** Whether the topic is there and its last ids are known. */
	boolean ready() {
		return this.ready;
	}

	/** Takes nothing until the topic's end has been read anew. */
	void readAgain() {
		synchronized (this.executor) {
			if (this.ready) {
				this.ready = false;
				retry();
			}
		}
	}

	@Override
	public void start() {
		this.running = true;
		this.executor.execute(this::attempt);
	}

	private void attempt() {
		try {
			create();
			readLastIds();
			this.ready = true;
			this.warned = false;
			logger.info("The topic {} is there, its last {} ids are known", Topics.SINK, this.recent.size());
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException | RuntimeException ex) {
			if (!this.warned) {
				this.warned = true;
				logger.warn("The topic {} of Kafka at {} cannot be read; messages are refused until it can: {}",
						Topics.SINK, this.admin.getConfigurationProperties().get("bootstrap.servers"), ex.toString());
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

	/**
	 * No one else writes meanwhile: nothing is taken yet, and what an earlier sink left
	 * in its connection has long arrived when this one has started.
	 */
	private void readLastIds() throws InterruptedException {
		if (this.recent.horizon() == 0) {
			return;
		}
		Map<String, Object> config = new HashMap<>(this.admin.getConfigurationProperties());
		config.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, 5_000);
		config.put(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, FETCH_BYTES);
		config.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, FETCH_BYTES);
		config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
		// Payloads are not needed.
		try (KafkaConsumer<byte[], Void> consumer = new KafkaConsumer<>(config, new ByteArrayDeserializer(),
				(_, _) -> null)) {
			List<TopicPartition> partitions = consumer.partitionsFor(Topics.SINK, TIMEOUT)
				.stream()
				.map((partition) -> new TopicPartition(Topics.SINK, partition.partition()))
				.toList();
			consumer.assign(partitions);
			Map<TopicPartition, Long> ends = consumer.endOffsets(partitions, TIMEOUT);
			consumer.beginningOffsets(partitions, TIMEOUT)
				.forEach((partition, begin) -> consumer.seek(partition,
						Math.max(begin, end(ends, partition) - this.recent.horizon())));
			long deadline = System.nanoTime() + READ_TIMEOUT.toNanos();
			while (partitions.stream().anyMatch((partition) -> consumer.position(partition) < end(ends, partition))) {
				for (ConsumerRecord<byte[], Void> record : consumer.poll(POLL)) {
					// Without a key it is none of the sink's.
					if (record.key() != null) {
						this.recent.add(record.partition(), ByteString.copyFrom(record.key()));
					}
				}
				if (!this.running || System.nanoTime() - deadline > 0) {
					throw new org.apache.kafka.common.errors.TimeoutException(
							"The end of the topic was not read within " + READ_TIMEOUT.toSeconds() + " s");
				}
			}
		}
	}

	private static long end(Map<TopicPartition, Long> ends, TopicPartition partition) {
		return ends.getOrDefault(partition, 0L);
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
