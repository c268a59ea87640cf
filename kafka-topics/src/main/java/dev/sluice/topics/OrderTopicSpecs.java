package dev.sluice.topics;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.Topics;
import org.apache.kafka.common.config.TopicConfig;

/** The topics that an order goes through. They are the same for every service. */
public final class OrderTopicSpecs {

	private static final String UNLIMITED = "-1";

	/**
	 * Nothing expires: an accepted order is kept until it is delivered, and a dead letter
	 * until a person deletes it. order-consumer deletes delivered orders.
	 */
	private static final Map<String, String> KEPT = Map.of(TopicConfig.CLEANUP_POLICY_CONFIG,
			TopicConfig.CLEANUP_POLICY_DELETE, TopicConfig.RETENTION_MS_CONFIG, UNLIMITED,
			TopicConfig.RETENTION_BYTES_CONFIG, UNLIMITED);

	private OrderTopicSpecs() {
	}

	/**
	 * @param partitions partitions of each topic
	 * @param replicationFactor copies of each partition
	 * @param minInsyncReplicas see {@link TopicSpec#of}
	 */
	public static List<TopicSpec> of(int partitions, short replicationFactor, int minInsyncReplicas) {
		return List.of(TopicSpec.of(Topics.ORDERS, partitions, replicationFactor, minInsyncReplicas, KEPT),
				TopicSpec.of(Topics.ORDER_OUTCOMES, partitions, replicationFactor, minInsyncReplicas,
						Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT)),
				TopicSpec.of(Topics.ORDERS_DLT, partitions, replicationFactor, minInsyncReplicas, deadLetters()));
	}

	private static Map<String, String> deadLetters() {
		Map<String, String> configs = new HashMap<>(KEPT);
		configs.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(Topics.ORDERS_DLT_MAX_BYTES));
		return configs;
	}

}
