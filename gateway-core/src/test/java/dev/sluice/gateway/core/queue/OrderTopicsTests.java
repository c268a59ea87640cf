package dev.sluice.gateway.core.queue;

import java.time.Duration;
import java.util.Map;

import dev.sluice.gateway.core.config.CircuitProperties;
import dev.sluice.gateway.core.config.QueueProperties;
import org.junit.jupiter.api.Test;
import org.springframework.kafka.core.KafkaAdmin;
import org.springframework.kafka.core.KafkaTemplate;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.mockito.Mockito.mock;

class OrderTopicsTests {

	/** A topic cannot be specified with fewer copies than must be in sync. */
	@Test
	@SuppressWarnings("unchecked")
	void hasAsManyCopiesAndAsManyInSyncAsConfigured() {
		KafkaAdmin admin = new KafkaAdmin(Map.of());
		KafkaTemplate<String, byte[]> kafka = mock(KafkaTemplate.class);

		assertThatCode(() -> new OrderTopics(queue(3, 2), admin, kafka)).doesNotThrowAnyException();
		assertThatIllegalArgumentException().isThrownBy(() -> new OrderTopics(queue(1, 2), admin, kafka))
			.withMessageContaining("min-insync-replicas must be 0 to the replication factor, 1, and is 2");
	}

	private static QueueProperties queue(int replicationFactor, int minInsyncReplicas) {
		return new QueueProperties(Duration.ofSeconds(1), 1, 12, (short) replicationFactor, minInsyncReplicas,
				new CircuitProperties(50, 50, Duration.ofSeconds(10), Duration.ofSeconds(1)));
	}

}
