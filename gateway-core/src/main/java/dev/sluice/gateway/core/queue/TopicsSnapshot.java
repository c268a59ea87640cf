package dev.sluice.gateway.core.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.stream.Collectors;

import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;

/**
 * Some topics, and the offsets of a consumer group, as Kafka reports them at one time.
 *
 * @param topics the topics that exist
 * @param committed the group's offsets; empty if it has committed nothing
 */
record TopicsSnapshot(List<TopicDescription> topics, Map<TopicPartition, OffsetAndMetadata> committed) {

	/**
	 * Asks Kafka.
	 * @param client sends the questions
	 * @param names the topics
	 * @param group the consumer group
	 * @param onResponse called when Kafka has described the topics, whether or not it
	 * returns the offsets
	 * @return the answers; fails with the failure of Kafka's client, unwrapped or as the
	 * cause of a {@link CompletionException}
	 */
	static CompletableFuture<TopicsSnapshot> take(Admin client, Set<String> names, String group, Runnable onResponse) {
		Map<String, KafkaFuture<TopicDescription>> topics = client.describeTopics(names).topicNameValues();
		List<CompletableFuture<@Nullable TopicDescription>> descriptions = topics.values()
			.stream()
			.map(TopicsSnapshot::ifThere)
			.toList();
		CompletableFuture<Map<TopicPartition, OffsetAndMetadata>> committed = client.listConsumerGroupOffsets(group)
			.partitionsToOffsetAndMetadata()
			.toCompletionStage()
			.exceptionally((failure) -> {
				if (cause(failure) instanceof GroupIdNotFoundException) {
					return Map.of();
				}
				throw new CompletionException(cause(failure));
			})
			.toCompletableFuture();
		CompletableFuture<?> described = CompletableFuture.allOf(descriptions.toArray(CompletableFuture[]::new))
			.thenRun(onResponse);
		return described.thenCombine(committed, (_, offsets) -> {
			List<TopicDescription> there = new ArrayList<>();
			for (CompletableFuture<@Nullable TopicDescription> description : descriptions) {
				TopicDescription topic = description.resultNow();
				if (topic != null) {
					there.add(topic);
				}
			}
			return new TopicsSnapshot(there, offsets);
		});
	}

	private static CompletableFuture<@Nullable TopicDescription> ifThere(KafkaFuture<TopicDescription> topic) {
		CompletionStage<@Nullable TopicDescription> there = topic.toCompletionStage().handle((description, failure) -> {
			if (failure != null && !(cause(failure) instanceof UnknownTopicOrPartitionException)) {
				throw new CompletionException(cause(failure));
			}
			return description;
		});
		return there.toCompletableFuture();
	}

	/** The failure itself, which a future may have wrapped. */
	static Throwable cause(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** The group has committed every record below this offset. */
	long committed(TopicPartition partition) {
		OffsetAndMetadata offset = this.committed.get(partition);
		return (offset != null) ? offset.offset() : 0;
	}

	Map<String, Layout> layout() {
		return this.topics.stream()
			.collect(Collectors.toMap(TopicDescription::name,
					(topic) -> new Layout(topic.topicId(), topic.partitions().size())));
	}

	Set<TopicPartition> partitions() {
		return this.topics.stream()
			.flatMap((topic) -> topic.partitions()
				.stream()
				.map((partition) -> new TopicPartition(topic.name(), partition.partition())))
			.collect(Collectors.toSet());
	}

	/**
	 * What changes when a topic is recreated or gets more partitions.
	 *
	 * @param id the topic's id
	 * @param partitions the number of partitions
	 */
	record Layout(Uuid id, int partitions) {
	}

}
