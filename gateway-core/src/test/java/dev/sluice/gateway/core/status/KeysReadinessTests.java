package dev.sluice.gateway.core.status;

import dev.sluice.gateway.core.queue.OrderTopics;
import org.junit.jupiter.api.Test;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

class KeysReadinessTests {

	private final OrderTopics topics = mock(OrderTopics.class);

	private final KeysReadiness keys = new KeysReadiness(this.topics);

	@Test
	void isDownUntilAKeyHasBeenLookedUp() {
		when(this.topics.reached()).thenReturn(true);
		assertThat(after(new KeyUse.Unknown(null))).isEqualTo(Status.DOWN);

		assertThat(after(new KeyUse.Unused())).isEqualTo(Status.UP);

		assertThat(this.keys.begin()).isFalse();
	}

	/** Otherwise a gateway that starts while PostgreSQL is out would accept no orders. */
	@Test
	void isUpAfterSomeLookUpsInVain() {
		when(this.topics.reached()).thenReturn(true);
		for (int i = 1; i < 5; i++) {
			assertThat(after(new KeyUse.Unknown(null))).isEqualTo(Status.DOWN);
		}

		assertThat(after(new KeyUse.Unknown(null))).isEqualTo(Status.UP);
	}

	@Test
	void waitsForKafka() {
		assertThat(this.keys.begin()).isFalse();
		assertThat(this.keys.health().getStatus()).isEqualTo(Status.DOWN);
	}

	private Status after(KeyUse use) {
		assertThat(this.keys.begin()).isTrue();
		this.keys.end(use);
		return this.keys.health().getStatus();
	}

}
