package dev.sluice.backend;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import dev.sluice.backend.OrderStore.Totals;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
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

	/** More than a store reads at once. */
	@Test
	void tellsOfEachOrderOnce() {
		OrderStore store = store();
		Set<SavedOrder> orders = IntStream.range(0, 5_000)
			.mapToObj((i) -> new SavedOrder(UUID.nameUUIDFromBytes(new byte[] { (byte) (i >> 8), (byte) i }),
					FIRST.plusMillis(i)))
			.collect(Collectors.toSet());
		answer(Flux.fromIterable(orders)
			.flatMap((order) -> store.save(order.id(), 7, OrderStore.micros(order.savedAt())), 10)
			.then());

		assertThat(answer(store.saved().collectList())).hasSameSizeAs(orders).containsOnlyOnceElementsOf(orders);
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
		return answer(store.save(id, fingerprint, OrderStore.micros(now)));
	}

	static <T> T answer(Mono<T> answer) {
		return answer.block(Patience.ofSeconds(60));
	}

}
