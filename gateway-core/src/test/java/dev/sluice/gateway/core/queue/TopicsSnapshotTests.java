package dev.sluice.gateway.core.queue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.gateway.core.queue.TopicsSnapshot.Layout;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.anyCollection;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class TopicsSnapshotTests {

	private static final Uuid TOPIC = new Uuid(1, 1);

	private static final TopicPartition FIRST = new TopicPartition("orders", 0);

	private static final TopicPartition SECOND = new TopicPartition("orders", 1);

	private final KafkaFutureImpl<TopicDescription> orders = new KafkaFutureImpl<>();

	private final KafkaFutureImpl<TopicDescription> outcomes = new KafkaFutureImpl<>();

	private final KafkaFutureImpl<Map<TopicPartition, OffsetAndMetadata>> committed = new KafkaFutureImpl<>();

	private final AtomicInteger responses = new AtomicInteger();

	@Test
	void tellsWhichTopicsAreThereAndHowFarTheGroupIs() {
		CompletableFuture<TopicsSnapshot> snapshot = snapshot();
		this.orders.complete(topic());
		this.outcomes.completeExceptionally(new UnknownTopicOrPartitionException());
		assertThat(this.responses).hasValue(1);
		assertThat(snapshot).isNotDone();

		this.committed.complete(Map.of(SECOND, new OffsetAndMetadata(7)));

		assertThat(snapshot).isCompletedWithValueMatching((seen) -> seen.partitions().equals(Set.of(FIRST, SECOND))
				&& seen.layout().equals(Map.of("orders", new Layout(TOPIC, 2))) && seen.committed(FIRST) == 0
				&& seen.committed(SECOND) == 7);
	}

	@Test
	void aGroupThatIsNotThereHasCommittedNothing() {
		CompletableFuture<TopicsSnapshot> snapshot = snapshot();
		this.orders.complete(topic());
		this.outcomes.completeExceptionally(new UnknownTopicOrPartitionException());
		this.committed.completeExceptionally(new GroupIdNotFoundException("none"));

		assertThat(snapshot).isCompletedWithValueMatching((seen) -> seen.committed(SECOND) == 0);
	}

	@Test
	void failsWhereATopicCannotBeDescribed() {
		CompletableFuture<TopicsSnapshot> snapshot = snapshot();
		this.orders.completeExceptionally(new TimeoutException("no answer"));
		this.outcomes.complete(topic());
		this.committed.complete(Map.of());

		assertThat(snapshot).isCompletedExceptionally();
		assertThat(TopicsSnapshot.cause(snapshot.exceptionNow())).isInstanceOf(TimeoutException.class);
		assertThat(this.responses).as("Kafka has not answered").hasValue(0);
	}

	@Test
	void failsWhereTheOffsetsAreNotTold() {
		CompletableFuture<TopicsSnapshot> snapshot = snapshot();
		this.orders.complete(topic());
		this.outcomes.complete(topic());
		this.committed.completeExceptionally(new TimeoutException("no answer"));

		assertThat(snapshot).isCompletedExceptionally();
		assertThat(TopicsSnapshot.cause(snapshot.exceptionNow())).isInstanceOf(TimeoutException.class);
		assertThat(this.responses).as("Kafka has answered").hasValue(1);
	}

	@Test
	void knowsAFailureWhetherItIsWrappedOrNot() {
		TimeoutException failure = new TimeoutException("no answer");
		CompletionException nothing = new CompletionException("why", null);

		assertThat(TopicsSnapshot.cause(failure)).isSameAs(failure);
		assertThat(TopicsSnapshot.cause(new CompletionException(failure))).isSameAs(failure);
		assertThat(TopicsSnapshot.cause(new TimeoutException("no answer", failure))).isNotSameAs(failure);
		assertThat(TopicsSnapshot.cause(nothing)).isSameAs(nothing);
	}

	private CompletableFuture<TopicsSnapshot> snapshot() {
		Admin client = mock(Admin.class);
		DescribeTopicsResult described = mock(DescribeTopicsResult.class);
		Map<String, KafkaFuture<TopicDescription>> topics = Map.of("orders", this.orders, "outcomes", this.outcomes);
		when(described.topicNameValues()).thenReturn(topics);
		when(client.describeTopics(anyCollection())).thenReturn(described);
		ListConsumerGroupOffsetsResult offsets = mock(ListConsumerGroupOffsetsResult.class);
		when(offsets.partitionsToOffsetAndMetadata()).thenReturn(this.committed);
		when(client.listConsumerGroupOffsets("group")).thenReturn(offsets);
		return TopicsSnapshot.take(client, Set.of("orders", "outcomes"), "group", this.responses::incrementAndGet);
	}

	private static TopicDescription topic() {
		Node node = new Node(1, "localhost", 1);
		return new TopicDescription("orders", false,
				List.of(new TopicPartitionInfo(0, node, List.of(node), List.of(node)),
						new TopicPartitionInfo(1, node, List.of(node), List.of(node))),
				Set.of(), TOPIC);
	}

}
