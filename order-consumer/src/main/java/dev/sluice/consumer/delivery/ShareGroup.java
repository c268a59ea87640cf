package dev.sluice.consumer.delivery;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;

import dev.sluice.consumer.DeliveryProperties;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.FinalizedVersionRange;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.config.ConfigResource.Type;

/** Configures the share group at the brokers, and its consumers. */
final class ShareGroup {

	private static final String FEATURE = "share.version";

	/** Settings of consumer groups, which a share consumer refuses. */
	private static final Set<String> OF_CONSUMER_GROUPS = Set.of(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
			ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
			ConsumerConfig.ISOLATION_LEVEL_CONFIG, ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
			ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG, ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
			ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG, ConsumerConfig.GROUP_PROTOCOL_CONFIG,
			ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG);

	private ShareGroup() {
	}

	/**
	 * The configuration of a share consumer.
	 * @param consumer the configuration of an ordinary consumer
	 * @param number the consumer's number in this process
	 */
	static Map<String, Object> consumer(Map<String, Object> consumer, DeliveryProperties properties, int number) {
		Map<String, Object> share = new HashMap<>(consumer);
		share.keySet().removeAll(OF_CONSUMER_GROUPS);
		share.put(ConsumerConfig.GROUP_ID_CONFIG, properties.groupId());
		share.put(ConsumerConfig.CLIENT_ID_CONFIG, "order-delivery-" + number);
		share.put(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, "explicit");
		// Otherwise a consumer gets whole batches, however few records it can hold.
		share.put(ConsumerConfig.SHARE_ACQUIRE_MODE_CONFIG, "record_limit");
		share.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, properties.shareBatch());
		// No consumer polls in an outage of the backend, however long it lasts.
		share.put(ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG, Integer.MAX_VALUE);
		return share;
	}

	/**
	 * Makes a new group start at the first order. By default, it would start after the
	 * last one.
	 * @return how often the brokers deliver a record before they archive it
	 * @throws IllegalStateException if the brokers do not support share groups
	 */
	static int prepare(Map<String, Object> client, String group) throws InterruptedException {
		try (Admin admin = Admin.create(client)) {
			FinalizedVersionRange version = admin.describeFeatures()
				.featureMetadata()
				.get()
				.finalizedFeatures()
				.get(FEATURE);
			if (version == null || version.maxVersionLevel() < 1) {
				throw new IllegalStateException(
						"delivery.source=share-group requires brokers from 4.2 with the feature "
								+ "%s=1; enable it with kafka-features.sh upgrade --feature %s=1, or set delivery.source=partitions"
									.formatted(FEATURE, FEATURE));
			}
			ConfigResource groupConfig = new ConfigResource(Type.GROUP, group);
			admin
				.incrementalAlterConfigs(
						Map.of(groupConfig,
								List.of(new AlterConfigOp(new ConfigEntry("share.auto.offset.reset", "earliest"),
										AlterConfigOp.OpType.SET))))
				.all()
				.get();
			String broker = admin.describeCluster().nodes().get().iterator().next().idString();
			Map<ConfigResource, Config> configs = admin
				.describeConfigs(List.of(groupConfig, new ConfigResource(Type.BROKER, broker)))
				.all()
				.get();
			// From Kafka 4.3 a group may have a limit of its own, which may be higher.
			return configs.values()
				.stream()
				.flatMap((config) -> config.entries().stream())
				.filter((entry) -> entry.name().endsWith("share.delivery.count.limit") && entry.value() != null)
				.mapToInt((entry) -> Integer.parseInt(entry.value()))
				.min()
				.orElseThrow(() -> new KafkaException("The broker does not report group.share.delivery.count.limit"));
		}
		catch (ExecutionException ex) {
			throw new KafkaException(
					"The share group cannot be prepared. It requires ALTER_CONFIGS and DESCRIBE_CONFIGS"
							+ " on the group, and DESCRIBE_CONFIGS on the cluster",
					ex.getCause());
		}
	}

}
