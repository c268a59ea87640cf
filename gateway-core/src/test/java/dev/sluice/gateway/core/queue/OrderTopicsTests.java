package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.Map;

import dev.sluice.contract.Topics;
import dev.sluice.gateway.core.config.QueueProperties;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;

@SuppressWarnings("unchecked")
class OrderTopicsTests {

	private final KafkaTemplate<String, byte[]> kafka = mock(KafkaTemplate.class);

	private final OrderTopics topics = new OrderTopics(queue(1, 1), new KafkaAdmin(Map.of()), this.kafka);

	/** Otherwise the first order would wait for the metadata. */
	@Test
	void fetchesTheMetadataOfOrdersBeforeTheTopicsAreReached() {
		this.topics.prepare();

		verify(this.kafka).partitionsFor(Topics.ORDERS);
		assertThat(this.topics.reached()).isFalse();
	}

	/** A topic cannot have fewer replicas than must be in sync. */
	@Test
	void hasAsManyCopiesAndAsManyInSyncAsConfigured() {
		KafkaAdmin admin = new KafkaAdmin(Map.of());

		assertThatCode(() -> new OrderTopics(queue(3, 2), admin, this.kafka)).doesNotThrowAnyException();
		assertThatIllegalArgumentException().isThrownBy(() -> new OrderTopics(queue(1, 2), admin, this.kafka))
			.withMessageContaining("min-insync-replicas must be between 0 and the replication factor, 1, but is 2");
	}

	private static QueueProperties queue(int replicationFactor, int minInsyncReplicas) {
		return new QueueProperties(Duration.ofSeconds(1), 1, 12, (short) replicationFactor, minInsyncReplicas);
	}

}
