package dev.sluice.consumer.delivery;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.UUID;

import dev.sluice.consumer.backend.QueuedOrder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PayloadHistoryTests {

	private final PayloadHistory payloads = new PayloadHistory(2);

	@Test
	void knowsThePayloadOfAnIdThatIsDerivedFromAKey() {
		this.payloads.finished(order(8, 1, "{}"));
		this.payloads.finished(order(8, 1, "{\"a\":1}"));

		assertThat(this.payloads.conflictsWith(order(8, 1, "{}"))).isFalse();
		assertThat(this.payloads.conflictsWith(order(8, 1, "{\"a\":1}"))).isTrue();
		assertThat(this.payloads.conflictsWith(order(8, 2, "{\"a\":1}"))).isFalse();
	}

	@Test
	void doesNotLookAtIdsThatAreDrawn() {
		this.payloads.finished(order(7, 1, "{}"));

		assertThat(this.payloads.conflictsWith(order(7, 1, "{\"a\":1}"))).isFalse();
	}

	@Test
	void forgetsTheOldestBeyondItsBound() {
		for (int id = 1; id <= 3; id++) {
			this.payloads.finished(order(8, id, "{}"));
		}

		assertThat(this.payloads.conflictsWith(order(8, 1, "{\"a\":1}"))).isFalse();
		assertThat(this.payloads.conflictsWith(order(8, 2, "{\"a\":1}"))).isTrue();
		assertThat(this.payloads.conflictsWith(order(8, 3, "{\"a\":1}"))).isTrue();
	}

	private static QueuedOrder order(int version, long number, String body) {
		return new QueuedOrder(new UUID((long) version << 12, 0x8000_0000_0000_0000L | number), "c-1", Instant.EPOCH,
				null, body.getBytes(StandardCharsets.UTF_8));
	}

}
