package dev.sluice.consumer.delivery;

import java.util.Map;
import java.util.UUID;

import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.consumer.ConsumerTest;
import dev.sluice.consumer.offsets.OrderPurge;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.contract.Topics;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.ConfigurableApplicationContext;

import static dev.sluice.consumer.ConsumerHarness.eventually;
import static dev.sluice.consumer.ConsumerHarness.lost;
import static dev.sluice.consumer.ConsumerHarness.projected;
import static dev.sluice.consumer.ConsumerHarness.projecting;
import static org.assertj.core.api.Assertions.assertThat;

/** Records that are deleted before they are delivered, and topics that are deleted. */
class LostOrdersIT extends ConsumerTest {

	@BeforeEach
	void reset() throws Exception {
		harness.reset(3);
		ConsumerHarness.emptyDatabase();
	}

	@Test
	void tellsOnceOfOrdersThatExpiredBeforeTheConsumerCame() throws Exception {
		harness.enqueue(20);
		harness.expireOrders();

		ConfigurableApplicationContext first = harness.startApplication();

		eventually().until(() -> lost(first), (lost) -> lost == 20);
		assertThat(harness.health(first)).contains("\"lostRecords\"", "\"status\":\"DOWN\"", "\"delivery: orders-");

		first.close();
		ConfigurableApplicationContext second = harness.startApplication();

		harness.enqueue(5);
		eventually().until(harness::saved, (saved) -> saved == 5);
		assertThat(lost(second)).isZero();
		assertThat(harness.health(second)).doesNotContain("DOWN");
	}

	@Test
	void tellsOfOrdersThatExpireWhileTheConsumerIsBusy() throws Exception {
		harness.behave(BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(600_000)));
		// More than one fetch returns: the rest would be read when the first ones are
		// finished.
		String note = "x".repeat(60_000);
		for (int i = 0; i < 100; i++) {
			harness.enqueue(UUID.randomUUID(), "c-1",
					"""
							{"customerId":"c-1","items":[{"sku":"s","quantity":1,"unitPrice":{"amount":"1.50","currency":"EUR"}}],
							"note":"%s"}"""
						.formatted(note));
		}
		harness.enqueue(1);
		ConfigurableApplicationContext consumer = harness.startApplication("delivery.concurrency=1",
				"delivery.max-pending=2", "backend.response-timeout=2s");
		eventually().until(() -> harness.audit().inFlight() == 1);

		harness.expireOrders();
		harness.behave(BackendBehaviour.DEFAULT);

		eventually().until(() -> lost(consumer), (lost) -> lost > 0);
		harness.enqueue(5);
		eventually().until(() -> harness.lag() == 0);
		assertThat(harness.health(consumer)).contains("\"status\":\"DOWN\"");
		assertThat(lost(consumer) + harness.outcomes().size()).isEqualTo(106);
	}

	@Test
	void readsATopicThatWasMadeAgainMeanwhileFromItsBeginning() throws Exception {
		harness.enqueue(50);
		ConfigurableApplicationContext first = harness.startConsumer();
		eventually().until(() -> harness.audit().saved() == 50);
		eventually().until(() -> harness.lag() == 0);
		first.close();
		var commits = harness.commits();

		harness.deleteTopic(Topics.ORDERS);
		harness.createMissingTopics();
		harness.enqueue(100);
		// A late commit of a consumer for the deleted topic.
		harness.commit(commits);
		harness.startConsumer();

		eventually().until(() -> harness.audit().saved() == 150);
	}

	@Test
	void projectsATopicThatWasMadeAgainFromItsBeginning() throws Exception {
		harness.enqueue(50);
		ConfigurableApplicationContext consumer = harness.startConsumer(projecting());
		eventually().until(() -> projected() == 50);

		harness.deleteTopic(Topics.ORDERS);
		harness.deleteTopic(Topics.ORDER_OUTCOMES);

		eventually().until(() -> harness.topicExists(Topics.ORDERS) && harness.topicExists(Topics.ORDER_OUTCOMES));
		harness.enqueue(10);
		eventually().until(() -> projected() == 60);
		assertThat(lost(consumer)).isZero();
	}

	@Test
	void readsAPartitionThatIsAdded() throws Exception {
		harness.startConsumer(projecting());
		harness.enqueue(5);
		eventually().until(() -> projected() == 5);

		harness.addPartition();
		harness.enqueue(200);

		try {
			eventually().until(() -> projected() == 205);
		}
		finally {
			harness.deleteTopic(Topics.ORDERS);
		}
	}

	@Test
	void deletesWhatIsDeliveredAndProjectedAndOldEnough() throws Exception {
		harness.behave(ConsumerHarness.HANGING);
		Map<TopicPartition, Long> before = harness.logEnds();
		ConfigurableApplicationContext consumer = harness.startConsumer(projecting("queue.retention=1ms"));
		harness.enqueue(50);
		eventually().until(() -> harness.audit().inFlight() > 0 && harness.projectionLag() == 0);

		consumer.getBean(OrderPurge.class).purge();
		// Nothing is deleted that is projected and not delivered.
		assertThat(harness.logStarts()).isEqualTo(before);

		harness.behave(BackendBehaviour.DEFAULT);
		eventually().until(() -> harness.lag() == 0 && projected() == 50);
		eventually().until(() -> {
			consumer.getBean(OrderPurge.class).purge();
			return harness.logStarts().equals(harness.logEnds());
		});

		consumer.close();
		ConfigurableApplicationContext next = harness.startConsumer(projecting());
		harness.enqueue(5);
		eventually().until(() -> projected() == 55);
		assertThat(lost(next)).isZero();
	}

}
