package dev.sluice.consumer.delivery;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.sluice.consumer.ConsumerTest;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.BackendBehaviour.Special;
import dev.sluice.contract.OrderOutcome;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.JavaProcess;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;

import static dev.sluice.consumer.ConsumerHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** The delivery against a real Kafka and the real backend. */
@Tag("embedded")
class DeliveryIT extends ConsumerTest {

	@Test
	void keepsTheLimitFullWithFewerPartitions() throws Exception {
		harness.reset(3);
		// Long enough that a slow machine has twenty in delivery at once.
		harness.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(200)));
		List<UUID> orders = harness.enqueue(200);

		harness.startConsumer("delivery.concurrency=20");

		eventually().until(harness::saved, (saved) -> saved == 200);
		assertThat(harness.outcomes()).containsOnlyKeys(orders);
		assertThat(harness.audit().saved()).isEqualTo(200);
		assertThat(harness.audit().duplicates()).isZero();
		assertThat(harness.audit().maxInFlight()).isEqualTo(20);
		assertThat(harness.audit().connectionsOpened()).isLessThanOrEqualTo(20 + 1);
		assertThat(harness.outcomes().values()).extracting(OrderOutcome::at).contains(harness.audit().lastSavedAt());
		eventually().until(harness::lag, (lag) -> lag == 0);
	}

	/** Its heap has room for the record once, not for a copy and its text. */
	@Test
	void makesARecordThatIsLargeWhenDecompressedADeadLetter() throws Exception {
		harness.reset(1);
		try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
				Map.of("bootstrap.servers", harness.bootstrapServers(), "compression.type", "lz4", "max.request.size",
						200_000_000, "buffer.memory", 200_000_000),
				new ByteArraySerializer(), new ByteArraySerializer())) {
			producer.send(new ProducerRecord<>(Topics.ORDERS, 0, "c-1".getBytes(), new byte[100_000_000])).get();
		}
		harness.enqueue(5);

		try (JavaProcess consumer = harness.startConsumerProcess()) {
			eventually().until(harness::saved, (saved) -> saved == 5);
			assertThat(harness.records(Topics.ORDERS_DLT)).hasSize(1);
		}
	}

	/** It dies while others are finished above two orders that are in delivery. */
	@Test
	void losesNothingWhenKilled() throws Exception {
		harness.reset(12);
		harness.behave(BackendBehaviour.DEFAULT.withSpecials(new Special("slow", 600_000, 0)));
		List<UUID> slow = List.of(harness.enqueueOf("slow-1"), harness.enqueueOf("slow-2"));

		try (JavaProcess victim = harness.startConsumerProcess("delivery.concurrency=10",
				"spring.kafka.consumer.properties.session.timeout.ms=6000")) {
			eventually().until(() -> harness.audit().inFlight() >= 2);
			harness.enqueue(300);
			eventually().until(() -> harness.audit().saved() > 50);
			victim.kill();
		}
		assertThat(harness.outcomes()).doesNotContainKeys(slow.toArray(UUID[]::new));
		harness.behave(BackendBehaviour.DEFAULT);
		harness.startConsumer("delivery.concurrency=50");

		eventually().until(harness::saved, (saved) -> saved == 302);
		assertThat(harness.audit().saved()).isEqualTo(302);
	}

	@Test
	void repeatsNothingAfterAGracefulStop() throws Exception {
		harness.reset(12);
		harness.enqueue(100);
		ConfigurableApplicationContext first = harness.startConsumer("delivery.concurrency=10");
		eventually().until(() -> harness.audit().saved() > 50);
		// Slow enough that orders are in delivery, and others wait, when it stops.
		harness.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(2_000)));
		harness.enqueue(300);
		eventually().until(() -> harness.audit().saved() >= 100 && harness.audit().inFlight() > 0);

		first.close();
		assertThat(harness.audit().saved()).isLessThan(400);
		assertThat(harness.audit().inFlight()).isZero();
		harness.behave(BackendBehaviour.DEFAULT);
		harness.startConsumer("delivery.concurrency=50");

		eventually().until(harness::saved, (saved) -> saved == 400);
		assertThat(harness.audit().saved()).isEqualTo(400);
		assertThat(harness.audit().duplicates()).isZero();
	}

	@Test
	void aSlowOrderHoldsUpNoOtherAndNothingThatFinishedAboveItIsRepeated() throws Exception {
		harness.reset(1);
		harness.behave(
				BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(1)).withSpecials(new Special("slow", 600_000, 0)));
		UUID slow = harness.enqueueOf("slow");
		List<UUID> others = harness.enqueue(200);

		ConfigurableApplicationContext first = harness.startConsumer("delivery.concurrency=2",
				"delivery.drain-timeout=0s");

		eventually().until(harness::saved, (saved) -> saved == 200);
		assertThat(harness.outcomes()).containsOnlyKeys(others);
		assertThat(harness.lag()).isEqualTo(201);

		first.close();
		harness.behave(BackendBehaviour.DEFAULT);
		harness.startConsumer();

		eventually().until(() -> harness.outcomes().containsKey(slow));
		eventually().until(harness::lag, (lag) -> lag == 0);
		assertThat(harness.audit().saved()).isEqualTo(201);
		assertThat(harness.audit().duplicates()).isZero();
	}

	@Test
	void losesAndRepeatsNothingWhenPartitionsMove() throws Exception {
		harness.reset(12);
		List<UUID> orders = new ArrayList<>(harness.enqueue(200));

		harness.startConsumer("delivery.concurrency=10");
		eventually().until(() -> harness.audit().saved() > 50);
		ConfigurableApplicationContext second = harness.startConsumer("delivery.concurrency=10");
		eventually().until(() -> {
			// There are always some to deliver while partitions move.
			if (harness.audit().received() > orders.size() - 50) {
				orders.addAll(harness.enqueue(50));
			}
			return second.getBean(DeliveryLoop.class).assignment().size() > 0;
		});
		second.close();

		eventually().until(harness::saved, (saved) -> saved == orders.size());
		assertThat(harness.audit().saved()).isEqualTo(orders.size());
		assertThat(harness.audit().duplicates()).isZero();
		assertThat(harness.audit().maxInFlight()).isLessThanOrEqualTo(20);
		eventually().until(harness::lag, (lag) -> lag == 0);
	}

}
