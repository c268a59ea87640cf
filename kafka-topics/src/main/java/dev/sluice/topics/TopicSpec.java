package dev.sluice.topics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

/**
 * Specification of a topic. A missing topic is created from it, an existing one is
 * compared with it.
 *
 * @param name the topic's name
 * @param partitions number of partitions
 * @param replicationFactor copies of each partition
 * @param configs the topic's configuration, including {@code min.insync.replicas} and
 * that records have the time of the broker that appends them; other settings are left to
 * the broker and not compared
 */
public record TopicSpec(String name, int partitions, short replicationFactor, Map<String, String> configs) {

	public TopicSpec {
		configs = Collections.unmodifiableMap(new TreeMap<>(configs));
	}

	/**
	 * @param minInsyncReplicas copies that must have a record before it is acknowledged;
	 * 0 means one less than the replication factor, at least 1
	 * @param configs the rest of the configuration
	 * @throws IllegalArgumentException if {@code minInsyncReplicas} is negative or
	 * greater than the replication factor
	 */
	public static TopicSpec of(String name, int partitions, short replicationFactor, int minInsyncReplicas,
			Map<String, String> configs) {
		if (minInsyncReplicas < 0 || minInsyncReplicas > replicationFactor) {
			throw new IllegalArgumentException(
					"min-insync-replicas must be between 0 and the replication factor, %s, but is %s"
						.formatted(replicationFactor, minInsyncReplicas));
		}
		int inSync = (minInsyncReplicas > 0) ? minInsyncReplicas : Math.max(1, replicationFactor - 1);
		Map<String, String> all = new TreeMap<>(configs);
		// A broker refuses the time of a service whose clock is more than an hour ahead.
		all.put(TopicConfig.MESSAGE_TIMESTAMP_TYPE_CONFIG, "LogAppendTime");
		all.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(inSync));
		return new TopicSpec(name, partitions, replicationFactor, all);
	}

	/** The request to create the topic. */
	public NewTopic toNewTopic() {
		return new NewTopic(this.name, this.partitions, this.replicationFactor).configs(this.configs);
	}

}
