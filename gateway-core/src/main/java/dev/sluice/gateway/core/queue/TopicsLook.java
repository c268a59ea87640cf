package dev.sluice.gateway.core.queue;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Two questions to Kafka: which partitions the topics of {@link RecentOrders} have, and
 * how far a consumer group has committed them.
 */
record TopicsLook(KafkaFuture<Map<String, TopicDescription>> topics,
		KafkaFuture<Map<TopicPartition, OffsetAndMetadata>> committed) {

	private static final Set<String> TOPICS = Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES);

	/**
	 * Asks.
	 * @param group the consumer group
	 * @param onResponse called when Kafka has described the topics
	 */
	static TopicsLook begin(Admin client, String group, Runnable onResponse) {
		KafkaFuture<Map<String, TopicDescription>> topics = client.describeTopics(TOPICS).allTopicNames();
		topics.whenComplete((described, _) -> {
			if (described != null) {
				onResponse.run();
			}
		});
		return new TopicsLook(topics, client.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
	}

	boolean isDone() {
		return this.topics.isDone() && this.committed.isDone();
	}

	/**
	 * The answers.
	 * @return null if a broker did not answer in time
	 * @throws KafkaException after any other failure
	 */
	@Nullable Result result() throws InterruptedException {
		Map<String, TopicDescription> described = get(this.topics, UnknownTopicOrPartitionException.class);
		Map<TopicPartition, OffsetAndMetadata> offsets = get(this.committed, GroupIdNotFoundException.class);
		if (described == null || offsets == null) {
			return null;
		}
		Map<TopicPartition, Uuid> ids = new HashMap<>();
		described.values()
			.forEach((topic) -> topic.partitions()
				.forEach((part) -> ids.put(new TopicPartition(topic.name(), part.partition()), topic.topicId())));
		Map<TopicPartition, Long> committed = new HashMap<>();
		offsets.forEach((partition, offset) -> {
			if (offset != null && ids.containsKey(partition)) {
				committed.put(partition, offset.offset());
			}
		});
		return new Result(ids, committed);
	}

	/**
	 * @param none the failure if there is nothing
	 */
	private static <K, V> @Nullable Map<K, V> get(KafkaFuture<Map<K, V>> done, Class<? extends KafkaException> none)
			throws InterruptedException {
		try {
			return done.get();
		}
		catch (ExecutionException ex) {
			if (none.isInstance(ex.getCause())) {
				return Map.of();
			}
			checkRetriable(ex);
			return null;
		}
	}

	/**
	 * Tells a broker that does not answer from other failures.
	 * @throws KafkaException if it is another one
	 */
	static void checkRetriable(ExecutionException failure) {
		if (!(failure.getCause() instanceof RetriableException)) {
			throw new KafkaException("Kafka does not tell about its topics", failure.getCause());
		}
	}

	/**
	 * The answers to both questions.
	 *
	 * @param topicIds the id of each partition's topic; empty while a topic is missing
	 * @param committed the group has committed every record below these offsets
	 */
	record Result(Map<TopicPartition, Uuid> topicIds, Map<TopicPartition, Long> committed) {

		/** Whether no topic was created anew or extended, and no offset went back. */
		boolean continues(Result before) {
			return this.topicIds.equals(before.topicIds) && before.committed.entrySet()
				.stream()
				.allMatch((offset) -> offset.getValue() <= this.committed.getOrDefault(offset.getKey(), 0L));
		}

	}

}
