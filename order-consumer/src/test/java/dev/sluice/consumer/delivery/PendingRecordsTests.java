package dev.sluice.consumer.delivery;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class PendingRecordsTests {

	@Test
	void hasRoomForAWholeBatchOrNone() {
		PendingRecords pending = new PendingRecords(10, 1_000);

		add(pending, 6, 1);

		assertThat(pending.hasRoomFor(4)).isTrue();
		assertThat(pending.hasRoomFor(5)).isFalse();
	}

	@Test
	void hasNoRoomOnceItsBytesAreUsedUp() {
		PendingRecords pending = new PendingRecords(10, 1_000);

		add(pending, 2, 500);
		assertThat(pending.hasRoomFor(1)).isFalse();

		pending.remove(500);
		assertThat(pending.hasRoomFor(1)).isTrue();
		assertThat(pending.records()).isEqualTo(1);
	}

	private static void add(PendingRecords pending, int records, int size) {
		for (int i = 0; i < records; i++) {
			pending.add(size);
		}
	}

}
