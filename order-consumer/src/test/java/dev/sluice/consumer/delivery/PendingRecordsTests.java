package dev.sluice.consumer.delivery;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PendingRecordsTests {

	@Test
	void hasNoRoomOnceItsBytesAreUsedUp() {
		PendingRecords pending = new PendingRecords(10, 1_000);
		assertThat(pending.hasRoomFor(10)).isTrue();
		assertThat(pending.hasRoomFor(11)).isFalse();

		pending.add(500);
		pending.add(500);
		assertThat(pending.hasRoomFor(1)).isFalse();

		pending.remove(500);
		assertThat(pending.hasRoomFor(1)).isTrue();
		assertThat(pending.records()).isEqualTo(1);
	}

}
