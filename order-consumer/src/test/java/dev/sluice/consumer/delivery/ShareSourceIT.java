package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A share group on a Kafka of its own. */
@Tag("full")
class ShareSourceIT {

	private static DevServices servers;

	private static ConsumerHarness harness;

	private final String group = "share-" + UUID.randomUUID();

	private final String[] properties = { "delivery.source=share-group", "delivery.group-id=" + this.group,
			"delivery.share-consumers=4", "delivery.concurrency=40" };

	@BeforeAll
	static void start() {
		servers = DevServices.start(DevServices.shared().infrastructure());
		harness = new ConsumerHarness(servers.kafka());
	}

	@AfterAll
	static void stop() {
		harness.close();
		servers.close();
	}

	@BeforeEach
	void reset() throws Exception {
		harness.reset(12);
	}

	@Test
	void deliversWhatWasThereBeforeTheGroup() throws Exception {
		List<UUID> orders = harness.enqueue(500);

		harness.startConsumer(this.properties);

		awaitSaved(orders);
		await().atMost(3, TimeUnit.MINUTES).untilAsserted(() -> assertThat(lag()).isZero());
	}

	@Test
	void losesNothingWhenAConsumerIsKilled() throws Exception {
		List<UUID> orders = harness.enqueue(500);
		try (JavaProcess killed = harness.startConsumerProcess(this.properties)) {
			await().atMost(3, TimeUnit.MINUTES).until(() -> harness.audit().saved() > 20);
			killed.kill();
		}

		harness.startConsumer(this.properties);

		awaitSaved(orders);
	}

	/** How a source knows that a full group admits its consumer again. */
	@Test
	void aConsumerIsAMemberOnceABrokerHasAnsweredItsFetch() {
		Map<String, Object> client = Map.of(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, harness.bootstrapServers(),
				ConsumerConfig.GROUP_ID_CONFIG, this.group);
		try (KafkaShareConsumer<byte[], byte[]> consumer = new KafkaShareConsumer<>(client, new ByteArrayDeserializer(),
				new ByteArrayDeserializer())) {
			assertThat(ShareSource.isMember(consumer)).isFalse();
			consumer.subscribe(List.of(Topics.ORDERS));

			await().pollInSameThread().atMost(Duration.ofMinutes(3)).until(() -> {
				consumer.poll(Duration.ofMillis(100));
				return ShareSource.isMember(consumer);
			});
		}
	}

	private static void awaitSaved(List<UUID> orders) {
		await().atMost(Duration.ofMinutes(3))
			.untilAsserted(() -> assertThat(harness.outcomes()).containsKeys(orders.toArray(UUID[]::new)));
		assertThat(harness.outcomes().entrySet()).filteredOn((outcome) -> orders.contains(outcome.getKey()))
			.allMatch((outcome) -> outcome.getValue().status() == OrderStatus.SAVED);
	}

	private long lag() throws Exception {
		try (Admin admin = harness.admin()) {
			Map<TopicPartition, SharePartitionOffsetInfo> offsets = admin
				.listShareGroupOffsets(Map.of(this.group, new ListShareGroupOffsetsSpec()))
				.partitionsToOffsetInfo(this.group)
				.get();
			assertThat(offsets.keySet()).extracting(TopicPartition::topic).contains(Topics.ORDERS);
			return offsets.values().stream().mapToLong((offset) -> offset.lag().orElseThrow()).sum();
		}
	}

}
