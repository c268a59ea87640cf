package dev.sluice.topics;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.Topics;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

/**
 * How topics should be: a missing one is created so, an existing one is compared. What a
 * specification does not say is left to the broker.
 */
public final class TopicSpecs {

	private static final String UNLIMITED = "-1";

	/**
	 * Nothing expires: an accepted order is kept until it is delivered, and a dead letter
	 * until a person deletes it. order-consumer deletes delivered orders.
	 */
	private static final Map<String, String> KEPT = Map.of(TopicConfig.CLEANUP_POLICY_CONFIG,
			TopicConfig.CLEANUP_POLICY_DELETE, TopicConfig.RETENTION_MS_CONFIG, UNLIMITED,
			TopicConfig.RETENTION_BYTES_CONFIG, UNLIMITED);

	private TopicSpecs() {
	}

	/**
	 * The topics that an order goes through. They are the same for every service.
	 * @param partitions partitions of each topic
	 * @param replicationFactor copies of each partition
	 * @param minInsyncReplicas see {@link #of}
	 */
	public static List<NewTopic> orders(int partitions, short replicationFactor, int minInsyncReplicas) {
		Map<String, String> deadLetters = new HashMap<>(KEPT);
		deadLetters.put(TopicConfig.MAX_MESSAGE_BYTES_CONFIG, Integer.toString(Topics.ORDERS_DLT_MAX_BYTES));
		return List.of(of(Topics.ORDERS, partitions, replicationFactor, minInsyncReplicas, KEPT),
				of(Topics.ORDER_OUTCOMES, partitions, replicationFactor, minInsyncReplicas,
						Map.of(TopicConfig.CLEANUP_POLICY_CONFIG, TopicConfig.CLEANUP_POLICY_COMPACT)),
				of(Topics.ORDERS_DLT, partitions, replicationFactor, minInsyncReplicas, deadLetters));
	}

	/**
	 * A topic whose records have the time of the broker that appends them.
	 * @param minInsyncReplicas copies that must have a record before it is acknowledged;
	 * 0 means one less than the replication factor, at least 1
	 * @param configs the rest of the configuration
	 * @throws IllegalArgumentException if {@code minInsyncReplicas} is negative or
	 * greater than the replication factor
	 */
	public static NewTopic of(String name, int partitions, short replicationFactor, int minInsyncReplicas,
			Map<String, String> configs) {
		if (minInsyncReplicas < 0 || minInsyncReplicas > replicationFactor) {
			throw new IllegalArgumentException(
					"min-insync-replicas must be between 0 and the replication factor, %s, but is %s"
						.formatted(replicationFactor, minInsyncReplicas));
		}
		int inSync = (minInsyncReplicas > 0) ? minInsyncReplicas : Math.max(1, replicationFactor - 1);
		Map<String, String> all = new HashMap<>(configs);
		// A broker refuses the time of a service whose clock is more than an hour ahead.
		all.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
		all.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(inSync));
		return new NewTopic(name, partitions, replicationFactor).configs(all);
	}

}
