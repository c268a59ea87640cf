package dev.sluice.consumer.delivery;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.consumer.offsets.OrderPurge;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.DevServices;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.FeatureUpdate;
import org.apache.kafka.clients.admin.FeatureUpdate.UpgradeType;
import org.apache.kafka.clients.admin.UpdateFeaturesOptions;
import org.apache.kafka.common.TopicPartition;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * Deletion of records that a share group has read, and brokers without share groups. Uses
 * a Kafka of its own.
 */
@Tag("full")
class ShareGroupIT {

	private static final int PARTITIONS = 3;

	private static DevServices servers;

	private static ConsumerHarness harness;

	private final String group = "share-" + UUID.randomUUID();

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
		harness.reset(PARTITIONS);
		ConsumerHarness.emptyDatabase(DevServices.shared().postgres());
	}

	@Test
	void deletesWhatIsFinishedAndProjectedAndOldEnough() throws Exception {
		Map<TopicPartition, Long> before = harness.logEnds();
		ConfigurableApplicationContext consumer = startSharing(projecting("queue.retention=1ms"));
		awaitSaved(harness.enqueue(50));

		eventually().until(() -> {
			// A broker moves the group's start when the next record is accepted.
			harness.enqueue(PARTITIONS);
			consumer.getBean(OrderPurge.class).purge();
			return partitionsThatBeginAfter(before) == PARTITIONS;
		});

		consumer.close();
		ConfigurableApplicationContext next = startSharing(projecting());
		awaitSaved(harness.enqueue(5));
		assertThat(lost(next)).isZero();
	}

	@Test
	void keepsWhatIsFinishedAndNotProjected() throws Exception {
		Map<TopicPartition, Long> before = harness.logEnds();
		ConfigurableApplicationContext consumer = startSharing("queue.retention=1ms");
		awaitSaved(harness.enqueue(50));
		awaitSaved(harness.enqueue(50));

		consumer.getBean(OrderPurge.class).purge();

		// Nothing is deleted beyond the projection's commits.
		assertThat(partitionsThatBeginAfter(before)).isZero();
	}

	@Test
	void keepsWhatIsProjectedAndNotFinished() throws Exception {
		harness.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(600_000)));
		Map<TopicPartition, Long> before = harness.logStarts();
		ConfigurableApplicationContext consumer = startSharing(
				projecting("queue.retention=1ms", "delivery.drain-timeout=0s"));
		harness.enqueue(50);
		eventually().until(() -> harness.audit().inFlight() > 0 && harness.projectionLag() == 0);

		consumer.getBean(OrderPurge.class).purge();

		assertThat(harness.logStarts()).isEqualTo(before);
	}

	@Test
	void keepsWhatIsYoung() throws Exception {
		Map<TopicPartition, Long> before = harness.logStarts();
		ConfigurableApplicationContext consumer = startSharing(projecting());
		awaitSaved(harness.enqueue(50));
		awaitSaved(harness.enqueue(50));
		eventually().until(() -> harness.projectionLag() == 0);

		consumer.getBean(OrderPurge.class).purge();

		assertThat(harness.logStarts()).isEqualTo(before);
	}

	@Test
	void refusesBrokersWithoutShareGroups() throws Exception {
		feature(0, UpgradeType.SAFE_DOWNGRADE);
		try {
			assertThatThrownBy(
					() -> ShareGroup.prepare(Map.of("bootstrap.servers", harness.bootstrapServers()), this.group))
				.isInstanceOf(IllegalStateException.class)
				.hasMessage("delivery.source=share-group requires brokers from 4.2 with the feature share.version=1; "
						+ "enable it with kafka-features.sh upgrade --feature share.version=1, "
						+ "or set delivery.source=partitions");
			ConfigurableApplicationContext consumer = startSharing();
			eventually().until(() -> harness.health(consumer),
					(health) -> health.contains("\"state\":\"dead\"") && health.contains("\"status\":\"DOWN\""));
		}
		finally {
			feature(1, UpgradeType.UPGRADE);
		}
		startSharing();
		awaitSaved(harness.enqueue(5));
	}

	/** Waits for these orders only: the group also delivers what other tests left. */
	private static void awaitSaved(List<UUID> orders) {
		eventually().until(() -> harness.outcomes().keySet().containsAll(orders));
	}

	private ConfigurableApplicationContext startSharing(String... properties) {
		return harness.startApplication(Stream
			.concat(Stream.of("delivery.source=share-group", "delivery.group-id=" + this.group), Stream.of(properties))
			.toArray(String[]::new));
	}

	private static void feature(int level, UpgradeType type) throws Exception {
		try (Admin admin = harness.admin()) {
			admin
				.updateFeatures(Map.of("share.version", new FeatureUpdate((short) level, type)),
						new UpdateFeaturesOptions())
				.all()
				.get();
		}
	}

	/** Number of partitions in which records after the previous end were deleted. */
	private static long partitionsThatBeginAfter(Map<TopicPartition, Long> before) {
		return harness.logStarts()
			.entrySet()
			.stream()
			.filter((start) -> start.getValue() > before.get(start.getKey()))
			.count();
	}

	private static String[] projecting(String... properties) {
		return ConsumerHarness.projecting(DevServices.shared().postgres(), properties);
	}

	private static double lost(ConfigurableApplicationContext consumer) {
		return consumer.getBean(MeterRegistry.class)
			.find("sluice.lost.records")
			.counters()
			.stream()
			.mapToDouble(Counter::count)
			.sum();
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
	}

}
