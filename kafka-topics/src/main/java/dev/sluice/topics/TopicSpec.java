package dev.sluice.topics;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.TopicConfig;

/**
 * What a topic is to be like: how it is created if it is missing, and what an existing
 * one is compared with.
 *
 * @param name the topic's name
 * @param partitions number of partitions
 * @param replicationFactor copies of each partition
 * @param configs the topic's configuration, {@code min.insync.replicas} included; what is
 * not named is left to the broker and not compared
 */
public record TopicSpec(String name, int partitions, short replicationFactor, Map<String, String> configs) {

	public TopicSpec {
		configs = Collections.unmodifiableMap(new TreeMap<>(configs));
	}

	/**
	 * @param minInsyncReplicas copies that must have a record before it is acknowledged;
	 * 0 = one less than the replication factor, and at least 1
	 * @param configs the rest of the configuration
	 * @throws IllegalArgumentException if more copies must have a record than there are
	 */
	public static TopicSpec of(String name, int partitions, short replicationFactor, int minInsyncReplicas,
			Map<String, String> configs) {
		if (minInsyncReplicas < 0 || minInsyncReplicas > replicationFactor) {
			throw new IllegalArgumentException("min-insync-replicas must be 0 to the replication factor, %d, and is %d"
				.formatted(replicationFactor, minInsyncReplicas));
		}
		int inSync = (minInsyncReplicas > 0) ? minInsyncReplicas : Math.max(1, replicationFactor - 1);
		Map<String, String> all = new TreeMap<>(configs);
		all.put(TopicConfig.MIN_IN_SYNC_REPLICAS_CONFIG, Integer.toString(inSync));
		return new TopicSpec(name, partitions, replicationFactor, all);
	}

	/** How the topic is created. */
	public NewTopic toNewTopic() {
		return new NewTopic(this.name, this.partitions, this.replicationFactor).configs(this.configs);
	}

}
