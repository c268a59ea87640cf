package dev.sluice.backend.store;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import java.util.UUID;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SavedOrdersTests {

	private static final UUID ID = new UUID(1, 2);

	@Test
	void savesAnOrderOnce() {
		SavedOrders orders = new SavedOrders(10);

		assertThat(orders.find(ID)).isEqualTo(SavedOrders.NONE);
		assertThat(orders.save(ID, 7, 1_000)).isEqualTo(SavedOrders.NEW);
		assertThat(orders.save(ID, 7, 2_000)).isEqualTo(1_000);
		assertThat(orders.find(ID)).isEqualTo(1_000);
		assertThat(orders.size()).isEqualTo(1);
	}

	@Test
	void refusesAnotherBodyUnderTheSameId() {
		SavedOrders orders = new SavedOrders(10);
		orders.save(ID, 7, 1_000);

		assertThat(orders.save(ID, 8, 2_000)).isEqualTo(SavedOrders.OTHER);
		assertThat(orders.find(ID)).isEqualTo(1_000);
	}

	@Test
	void refusesNewOrdersWhenFullButKnowsTheOldOnes() {
		SavedOrders orders = new SavedOrders(2);
		orders.save(new UUID(0, 1), 7, 1_000);
		orders.save(new UUID(0, 2), 7, 1_000);

		assertThat(orders.save(new UUID(0, 3), 7, 2_000)).isEqualTo(SavedOrders.FULL);
		assertThat(orders.find(new UUID(0, 3))).isEqualTo(SavedOrders.NONE);
		assertThat(orders.save(new UUID(0, 1), 7, 2_000)).isEqualTo(1_000);
	}

	@Test
	void keepsEveryOrderThroughAllItsGrowth() {
		SavedOrders orders = new SavedOrders(Integer.MAX_VALUE);
		Map<UUID, Long> expected = new HashMap<>();
		Random random = new Random(42);
		for (int i = 1; i <= 300_000; i++) {
			// Ids of one time differ in few bits, like those of a burst of UUIDv7.
			UUID id = (i % 2 == 0) ? new UUID(0x0199_0000_0000_7000L, i)
					: new UUID(random.nextLong(), random.nextLong());
			expected.put(id, (long) i);
			assertThat(orders.save(id, i, i)).isEqualTo(SavedOrders.NEW);
		}

		assertThat(orders.size()).isEqualTo(expected.size());
		expected.forEach((id, savedAt) -> {
			assertThat(orders.find(id)).isEqualTo(savedAt);
			assertThat(orders.save(id, savedAt, 9)).isEqualTo(savedAt);
		});
		assertThat(orders.find(new UUID(0x0199_0000_0000_7000L, 300_001))).isEqualTo(SavedOrders.NONE);
		Map<UUID, Long> exported = new HashMap<>();
		for (int part = 0; part < SavedOrders.PARTS; part++) {
			ByteBuffer bytes = ByteBuffer.wrap(orders.export(part));
			while (bytes.hasRemaining()) {
				exported.put(new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
			}
		}
		assertThat(exported).isEqualTo(expected);
	}

}
