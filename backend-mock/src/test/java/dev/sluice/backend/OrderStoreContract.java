package dev.sluice.backend;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import dev.sluice.backend.OrderStore.Totals;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/** The behaviour of every store. */
abstract class OrderStoreContract {

	static final UUID ID = new UUID(1, 2);

	static final Instant FIRST = Instant.parse("2026-01-01T00:00:00.123456Z");

	static final Instant LATER = FIRST.plusSeconds(1);

	/** An empty store. */
	abstract OrderStore store();

	@Test
	void savesAnOrderOnceAndAnswersARepeatAsTheFirstTime() {
		OrderStore store = store();
		SavedOrder order = new SavedOrder(ID, FIRST);

		assertThat(answer(store.find(ID))).isNull();
		assertThat(save(store, ID, 7, FIRST)).isEqualTo(Answer.saved(order));
		assertThat(save(store, ID, 7, LATER)).isEqualTo(Answer.repeated(order));
		assertThat(save(store, ID, 7, LATER)).isEqualTo(Answer.repeated(order));
		assertThat(answer(store.find(ID))).isEqualTo(order);
		assertThat(answer(store.totals())).isEqualTo(new Totals(1, 2, 0, FIRST));
	}

	@Test
	void refusesAnotherBodyUnderTheSameId() {
		OrderStore store = store();
		save(store, ID, 7, FIRST);

		assertThat(save(store, ID, 8, LATER)).isEqualTo(Answer.keyReused(ID));
		assertThat(answer(store.find(ID))).isEqualTo(new SavedOrder(ID, FIRST));
		assertThat(answer(store.totals())).isEqualTo(new Totals(1, 0, 0, FIRST));
	}

	/** The ids of one day begin alike, and only one part is in memory. */
	@Test
	void exportsEachOrderInOneOfSeveralParts() {
		OrderStore store = store();
		Map<UUID, Long> expected = new HashMap<>();
		for (int i = 0; i < 10; i++) {
			UUID id = new UUID(0x0193_5C00_0000_7000L,
					UUID.nameUUIDFromBytes(new byte[] { (byte) i }).getLeastSignificantBits());
			save(store, id, 7, FIRST.plusMillis(i));
			expected.put(id, micros(FIRST.plusMillis(i)));
		}

		Map<UUID, Long> exported = new HashMap<>();
		List<Integer> orders = new ArrayList<>();
		for (int part = 0; part < OrderStore.PARTS; part++) {
			ByteBuffer bytes = ByteBuffer.wrap(answer(store.export(part)));
			orders.add(bytes.remaining() / OrderStore.EXPORTED_BYTES);
			while (bytes.hasRemaining()) {
				exported.put(new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
			}
		}
		assertThat(exported).isEqualTo(expected);
		assertThat(orders.stream().mapToInt(Integer::intValue).sum()).isEqualTo(10);
		assertThat(orders).doesNotContain(10);
	}

	@Test
	void theNextStoreIsEmptyAndHearsNothingOfWhatIsSavedIntoTheOneBefore() {
		OrderStore before = store();
		save(before, ID, 7, FIRST);

		OrderStore next = answer(before.next());
		save(before, new UUID(3, 4), 7, LATER);

		assertThat(answer(next.totals())).isEqualTo(new Totals(0, 0, 0, null));
		assertThat(answer(next.find(ID))).isNull();
		assertThat(save(next, ID, 8, LATER)).isEqualTo(Answer.saved(new SavedOrder(ID, LATER)));
		assertThat(answer(next.totals()).saved()).isEqualTo(1);
	}

	static Answer save(OrderStore store, UUID id, long fingerprint, Instant now) {
		return answer(store.save(id, fingerprint, micros(now)));
	}

	static long micros(Instant time) {
		return ChronoUnit.MICROS.between(Instant.EPOCH, time);
	}

	static <T> T answer(Mono<T> answer) {
		return answer.block(Patience.ofSeconds(60));
	}

}
