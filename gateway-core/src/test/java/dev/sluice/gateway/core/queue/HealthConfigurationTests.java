package dev.sluice.gateway.core.queue;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class HealthConfigurationTests {

	private static final Map<String, Object> MISSING = Map.of("missing", List.of("orders"));

	private final OrderTopics topics = mock(OrderTopics.class);

	private final HealthIndicator indicator = HealthConfiguration.topicsHealthIndicator(this.topics);

	/**
	 * Every gateway has the same broker: otherwise none of them would serve sync orders.
	 */
	@Test
	void staysUpWhenATopicIsMissingLater() {
		when(this.topics.details()).thenReturn(MISSING);
		when(this.topics.reached()).thenReturn(true);

		Health health = this.indicator.health();

		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).isEqualTo(MISSING);
	}

}
