package dev.sluice.backend;

import java.util.UUID;

import dev.sluice.contract.SavedOrder;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MemoryOrderStoreTests extends OrderStoreContract {

	@Override
	OrderStore store() {
		return new MemoryOrderStore(10_000);
	}

	@Test
	void refusesNewOrdersWhenItIsFullButKnowsTheOldOnes() {
		OrderStore full = new MemoryOrderStore(1);
		save(full, ID, 7, FIRST);

		assertThat(save(full, new UUID(3, 4), 7, LATER).status()).isEqualTo(507);
		assertThat(save(full, ID, 7, LATER)).isEqualTo(Answer.repeated(new SavedOrder(ID, FIRST)));
	}

}
