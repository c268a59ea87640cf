package dev.sluice.sink.store;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

import dev.sluice.contract.Topics;
import dev.sluice.topics.TopicSpec;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConfigsResult;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;

/** Brokers with the topic {@code sink}, which a test may replace. */
final class FakeBrokers {

	private static final Node NODE = new Node(0, "127.0.0.1", 1);

	final AtomicInteger closedAdmins = new AtomicInteger();

	private volatile Uuid id = Uuid.randomUuid();

	/** The topic was deleted, and another one with its name was created. */
	void replaceTopic() {
		this.id = Uuid.randomUuid();
	}

	/** The topic as these brokers have it. */
	SinkTopic topic() {
		return new SinkTopic(new TopicSpec(Topics.SINK, 1, (short) 1, Map.of()),
				Map.of("bootstrap.servers", "127.0.0.1:1"), (_) -> admin());
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
		return new TopicDescription(Topics.SINK, false,
				List.of(new TopicPartitionInfo(0, NODE, List.of(NODE), List.of(NODE))), null, this.id);
	}

}
