package dev.sluice.backend.store;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import dev.sluice.backend.store.OrderStore.Totals;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;

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

		assertThat(answer(store.find(ID))).isEmpty();
		assertThat(save(store, ID, 7, FIRST)).isEqualTo(new Answer.Saved(order));
		assertThat(save(store, ID, 7, LATER)).isEqualTo(new Answer.Repeated(order));
		assertThat(save(store, ID, 7, LATER)).isEqualTo(new Answer.Repeated(order));
		assertThat(answer(store.find(ID))).contains(order);
		assertThat(answer(store.totals())).isEqualTo(new Totals(1, 2, 0, FIRST));
	}

	@Test
	void refusesAnotherBodyUnderTheSameId() {
		OrderStore store = store();
		save(store, ID, 7, FIRST);

		assertThat(save(store, ID, 8, LATER)).isEqualTo(new Answer.KeyReused(ID));
		assertThat(answer(store.find(ID))).contains(new SavedOrder(ID, FIRST));
		assertThat(answer(store.totals())).isEqualTo(new Totals(1, 0, 0, FIRST));
	}

	@Test
	void exportsEachOrderInOnePart() {
		OrderStore store = store();
		Map<UUID, Long> expected = new HashMap<>();
		for (int i = 0; i < 10; i++) {
			UUID id = UUID.nameUUIDFromBytes(new byte[] { (byte) i });
			save(store, id, 7, FIRST.plusMillis(i));
			expected.put(id, Micros.of(FIRST.plusMillis(i)));
		}

		Map<UUID, Long> exported = new HashMap<>();
		int orders = 0;
		for (int part = 0; part < OrderStore.PARTS; part++) {
			ByteBuffer bytes = ByteBuffer.wrap(answer(store.export(part)));
			while (bytes.hasRemaining()) {
				exported.put(new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
				orders++;
			}
		}
		assertThat(exported).isEqualTo(expected);
		assertThat(orders).isEqualTo(10);
	}

	@Test
	void theNextStoreIsEmptyAndHearsNothingOfWhatIsSavedIntoTheOneBefore() {
		OrderStore before = store();
		save(before, ID, 7, FIRST);

		OrderStore next = answer(before.next());
		save(before, new UUID(3, 4), 7, LATER);

		assertThat(answer(next.totals())).isEqualTo(new Totals(0, 0, 0, null));
		assertThat(answer(next.find(ID))).isEqualTo(Optional.empty());
		assertThat(save(next, ID, 8, LATER)).isEqualTo(new Answer.Saved(new SavedOrder(ID, LATER)));
		assertThat(answer(next.totals()).saved()).isEqualTo(1);
	}

	static Answer save(OrderStore store, UUID id, long fingerprint, Instant now) {
		CompletableFuture<Answer> answer = new CompletableFuture<>();
		store.save(id, fingerprint, Micros.of(now), answer::complete);
		return answer(answer);
	}

	static <T> T answer(CompletableFuture<T> future) {
		return future.orTimeout(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS).join();
	}

}
