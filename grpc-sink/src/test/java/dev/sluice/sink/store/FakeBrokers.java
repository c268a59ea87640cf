package dev.sluice.sink.store;

import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConfigsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;

import org.springframework.kafka.core.KafkaAdmin;

/** Brokers with the topic {@code sink}, and the clients that connect to them. */
final class FakeBrokers {

	private static final Node NODE = new Node(0, "127.0.0.1", 1);

	/** All consumers that were created, the newest last. */
	final List<MockConsumer<byte[], Integer>> consumers = new CopyOnWriteArrayList<>();

	final AtomicInteger closedAdmins = new AtomicInteger();

	/** What happens at the first poll of each consumer. */
	volatile Consumer<MockConsumer<byte[], Integer>> firstPoll = (_) -> {
	};

	private final Map<TopicPartition, Long> begins = new HashMap<>();

	private final Map<TopicPartition, Long> ends = new HashMap<>();

	private final List<ConsumerRecord<byte[], Integer>> records = new ArrayList<>();

	private final Uuid id = Uuid.randomUuid();

	/** Adds the next partition. */
	TopicPartition partition(long begin, long end) {
		TopicPartition partition = new TopicPartition(Topics.SINK, this.begins.size());
		this.begins.put(partition, begin);
		this.ends.put(partition, end);
		return partition;
	}

	@SafeVarargs
	final void records(ConsumerRecord<byte[], Integer>... added) {
		this.records.addAll(Arrays.asList(added));
	}

	/** The topic as these brokers have it. */
	SinkTopic topic(RecentIds recent) {
		return new SinkTopic(new TopicSpec(Topics.SINK, this.begins.size(), (short) 1, Map.of()),
				new KafkaAdmin(Map.of("bootstrap.servers", "127.0.0.1:1")), recent, (_) -> admin(),
				(_) -> newConsumer());
	}

	private MockConsumer<byte[], Integer> newConsumer() {
		MockConsumer<byte[], Integer> consumer = new MockConsumer<>("earliest");
		consumer.updatePartitions(Topics.SINK,
				this.begins.keySet()
					.stream()
					.map((partition) -> new PartitionInfo(partition.topic(), partition.partition(), NODE,
							new Node[] { NODE }, new Node[] { NODE }))
					.toList());
		consumer.updateBeginningOffsets(this.begins);
		consumer.updateEndOffsets(this.ends);
		consumer.schedulePollTask(() -> {
			this.firstPoll.accept(consumer);
			this.records.forEach(consumer::addRecord);
		});
		this.consumers.add(consumer);
		return consumer;
	}

	/** Answers what a watch of the topic asks. */
	private Admin admin() {
		return (Admin) Proxy.newProxyInstance(Admin.class.getClassLoader(), new Class<?>[] { Admin.class },
				(_, method, _) -> switch (method.getName()) {
					case "describeTopics" -> new DescribeTopicsResult(null,
							Map.of(Topics.SINK, KafkaFuture.completedFuture(description()))) {
					};
					case "listOffsets" -> new ListOffsetsResult(Map.of());
					case "describeConfigs" -> new DescribeConfigsResult(Map.of()) {
					};
					case "close" -> this.closedAdmins.incrementAndGet();
					default -> throw new UnsupportedOperationException(method.getName());
				});
	}

	private TopicDescription description() {
		return new TopicDescription(Topics.SINK, false, this.begins.keySet()
			.stream()
			.map((partition) -> new TopicPartitionInfo(partition.partition(), NODE, List.of(NODE), List.of(NODE)))
			.toList(), null, this.id);
	}

}
