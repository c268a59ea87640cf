package dev.sluice.consumer;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.stereotype.Component;

/**
 * Creates the topics that are missing and leaves the others as they are. Whoever
 * subscribes waits here first: a client that asks for a topic which is not there would
 * see it only when its metadata is next refreshed, minutes later. Safe for use by several
 * threads.
 */
@Component
public final class OrderTopics {

	private static final Logger logger = LoggerFactory.getLogger(OrderTopics.class);

	private static final Duration RETRY = Duration.ofSeconds(1);

	private static final int TIMEOUT_MILLIS = 10_000;

	private final List<NewTopic> topics;

	private final Map<String, Object> client;

	OrderTopics(QueueProperties properties, KafkaAdmin admin) {
		int partitions = properties.partitions();
		short replicas = properties.replicationFactor();
		this.topics = List.of(new NewTopic(Topics.ORDERS, partitions, replicas),
				new NewTopic(Topics.ORDER_OUTCOMES, partitions, replicas)
					.configs(Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT)),
				new NewTopic(Topics.ORDERS_DLT, partitions, replicas).configs(
						Map.of(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(Topics.ORDERS_DLT_MAX_BYTES))));
		this.client = new HashMap<>(admin.getConfigurationProperties());
		this.client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS);
		this.client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, TIMEOUT_MILLIS / 2);
	}

	/**
	 * Returns once Kafka has all topics. Tries again each second, without end: nothing
	 * can be consumed before.
	 * @throws InterruptedException to give up
	 */
	public void await() throws InterruptedException {
		boolean warned = false;
		while (true) {
			try {
				createMissing();
				return;
			}
			catch (ExecutionException | TimeoutException | KafkaException ex) {
				if (!warned) {
					warned = true;
					logger.warn("Kafka at {} is not ready; trying again until it is: {}",
							this.client.get("bootstrap.servers"), ex.toString());
				}
				Thread.sleep(RETRY);
			}
		}
	}

	private void createMissing() throws InterruptedException, ExecutionException, TimeoutException {
		try (Admin admin = Admin.create(this.client)) {
			// Asked first, because it may be allowed to read topics but not to create
			// them.
			for (NewTopic topic : this.topics) {
				if (!exists(admin.describeTopics(List.of(topic.name())).allTopicNames())) {
					create(admin, topic);
				}
			}
			awaitLeaders(admin);
		}
	}

	/**
	 * Until the leader of each partition serves it. An idempotent producer that meets a
	 * topic just created may have its first batch refused and its second taken, and then
	 * never gets the first one in (KAFKA-15591).
	 */
	private void awaitLeaders(Admin admin) throws InterruptedException, ExecutionException, TimeoutException {
		Map<TopicPartition, OffsetSpec> ends = admin.describeTopics(this.topics.stream().map(NewTopic::name).toList())
			.allTopicNames()
			.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS)
			.values()
			.stream()
			.flatMap((topic) -> topic.partitions()
				.stream()
				.map((partition) -> new TopicPartition(topic.name(), partition.partition())))
			.collect(Collectors.toMap((partition) -> partition, (_) -> OffsetSpec.latest()));
		admin.listOffsets(ends).all().get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
	}

	private static boolean exists(KafkaFuture<?> description)
			throws InterruptedException, ExecutionException, TimeoutException {
		try {
			description.get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof UnknownTopicOrPartitionException) {
				return false;
			}
			throw ex;
		}
	}

	private static void create(Admin admin, NewTopic topic)
			throws InterruptedException, ExecutionException, TimeoutException {
		try {
			admin.createTopics(List.of(topic)).all().get(TIMEOUT_MILLIS, TimeUnit.MILLISECONDS);
			logger.info("Created topic {} with {} partitions", topic.name(), topic.numPartitions());
		}
		catch (ExecutionException ex) {
			if (!(ex.getCause() instanceof TopicExistsException)) {
				throw ex;
			}
		}
	}

}
