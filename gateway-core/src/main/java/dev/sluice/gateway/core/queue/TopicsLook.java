package dev.sluice.gateway.core.queue;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Which partitions the topics of {@link RecentOrders} have, and how far a consumer group
 * has committed them.
 *
 * @param topicIds the id of each partition's topic; empty while a topic is missing
 * @param committed the group has committed every record below these offsets
 */
record TopicsLook(Map<TopicPartition, Uuid> topicIds, Map<TopicPartition, Long> committed) {

	private static final Set<String> TOPICS = Set.of(Topics.ORDERS, Topics.ORDER_OUTCOMES);

	/**
	 * Asks Kafka.
	 * @param group the consumer group
	 * @param onResponse called when Kafka has described the topics
	 */
	static CompletableFuture<TopicsLook> begin(Admin client, String group, Runnable onResponse) {
		CompletionStage<Map<TopicPartition, Uuid>> topics = client.describeTopics(TOPICS)
			.allTopicNames()
			.toCompletionStage()
			.thenApply((described) -> {
				onResponse.run();
				return topicIds(described);
			})
			.exceptionally(noneAfter(UnknownTopicOrPartitionException.class));
		CompletionStage<Map<TopicPartition, OffsetAndMetadata>> committed = client.listConsumerGroupOffsets(group)
			.partitionsToOffsetAndMetadata()
			.toCompletionStage()
			.exceptionally(noneAfter(GroupIdNotFoundException.class));
		return topics.thenCombine(committed, TopicsLook::of).toCompletableFuture();
	}

	/**
	 * @param failure the one that says that there is nothing
	 */
	private static <K, V> Function<Throwable, Map<K, V>> noneAfter(Class<? extends KafkaException> failure) {
		return (thrown) -> {
			Throwable cause = (thrown instanceof CompletionException && thrown.getCause() != null) ? thrown.getCause()
					: thrown;
			if (failure.isInstance(cause)) {
				return Map.of();
			}
			throw new CompletionException(cause);
		};
	}

	private static Map<TopicPartition, Uuid> topicIds(Map<String, TopicDescription> described) {
		Map<TopicPartition, Uuid> ids = new HashMap<>();
		described.values()
			.forEach((topic) -> topic.partitions()
				.forEach((part) -> ids.put(new TopicPartition(topic.name(), part.partition()), topic.topicId())));
		return ids;
	}

	private static TopicsLook of(Map<TopicPartition, Uuid> ids, Map<TopicPartition, OffsetAndMetadata> offsets) {
		Map<TopicPartition, Long> committed = new HashMap<>();
		offsets.forEach((partition, offset) -> {
			if (offset != null && ids.containsKey(partition)) {
				committed.put(partition, offset.offset());
			}
		});
		return new TopicsLook(ids, committed);
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

	/** Whether no topic was created anew or extended, and no offset went back. */
	boolean continues(TopicsLook before) {
		return this.topicIds.equals(before.topicIds) && before.committed.entrySet()
			.stream()
			.allMatch((offset) -> offset.getValue() <= this.committed.getOrDefault(offset.getKey(), 0L));
	}

}
