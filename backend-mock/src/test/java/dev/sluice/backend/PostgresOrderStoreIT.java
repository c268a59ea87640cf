package dev.sluice.backend;

import java.time.Instant;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.backend.OrderStore.Totals;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.DevServices;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("embedded")
class PostgresOrderStoreIT extends OrderStoreContract {

	private final HikariDataSource pool = new HikariDataSource();

	@BeforeEach
	void connect() {
		this.pool.setJdbcUrl(DevServices.shared().postgres().jdbcUrl());
		this.pool.setUsername(DevServices.shared().postgres().username());
		this.pool.setPassword(DevServices.shared().postgres().password());
		this.pool.setMaximumPoolSize(10);
	}

	@AfterEach
	void disconnect() {
		this.pool.close();
	}

	@Override
	OrderStore store() {
		return answer(afterAStart().next());
	}

	@Test
	void knowsAfterAStartWhatItKnewBefore() {
		OrderStore store = store();
		save(store, ID, 7, FIRST);
		save(store, ID, 7, LATER);

		OrderStore again = afterAStart();

		assertThat(answer(again.totals())).isEqualTo(new Totals(1, 1, 2, FIRST));
		assertThat(save(again, ID, 7, LATER)).isEqualTo(Answer.repeated(new SavedOrder(ID, FIRST)));
		assertThat(answer(again.totals())).isEqualTo(new Totals(1, 2, 2, FIRST));
	}

	@Test
	void savesOnceOfManyAtTheSameTime() {
		OrderStore store = store();

		List<Answer> answers = answer(Flux.range(0, 200)
			.flatMap((i) -> store.save(ID, 7, OrderStore.micros(FIRST.plusMillis(i))), 200)
			.collectList());

		assertThat(answers).filteredOn((answer) -> answer.status() == 201).hasSize(1);
		assertThat(answer(store.totals())).extracting(Totals::saved, Totals::duplicates).containsExactly(1L, 199L);
	}

	@Test
	void makesItsTablesOnceThoughManyStartAtTheSameTime() {
		List<OrderStore> stores = List.of(afterAStart(), afterAStart(), afterAStart(), afterAStart());

		List<Totals> counts = answer(Flux.fromIterable(stores).flatMap(OrderStore::totals).collectList());

		assertThat(counts).hasSize(4).containsOnly(answer(afterAStart().totals()));
	}

	private OrderStore afterAStart() {
		return new PostgresOrderStore(this.pool, Schedulers.single());
	}

}
