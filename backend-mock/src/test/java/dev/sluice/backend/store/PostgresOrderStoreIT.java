package dev.sluice.backend.store;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import com.zaxxer.hikari.HikariDataSource;
import dev.sluice.backend.loop.NettyLoop;
import dev.sluice.backend.store.OrderStore.Totals;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.DevServices;
import io.netty.channel.DefaultEventLoop;
import io.netty.channel.EventLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("embedded")
class PostgresOrderStoreIT extends OrderStoreContract {

	private final EventLoop loop = new DefaultEventLoop();

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
		this.loop.close();
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
		assertThat(save(again, ID, 7, LATER)).isEqualTo(new Answer.Repeated(new SavedOrder(ID, FIRST)));
		assertThat(answer(again.totals())).isEqualTo(new Totals(1, 2, 2, FIRST));
	}

	@Test
	void savesOnceOfManyAtTheSameTime() {
		OrderStore store = store();
		List<CompletableFuture<Answer>> answers = new ArrayList<>();
		for (int i = 0; i < 200; i++) {
			CompletableFuture<Answer> answer = new CompletableFuture<>();
			store.save(ID, 7, Micros.of(FIRST.plusMillis(i)), answer::complete);
			answers.add(answer);
		}

		assertThat(answers).extracting(OrderStoreContract::answer)
			.filteredOn(Answer.Saved.class::isInstance)
			.hasSize(1);
		assertThat(answer(store.totals())).extracting(Totals::saved, Totals::duplicates).containsExactly(1L, 199L);
	}

	@Test
	void makesItsTablesOnceThoughManyStartAtTheSameTime() {
		List<OrderStore> stores = List.of(afterAStart(), afterAStart(), afterAStart(), afterAStart());

		List<CompletableFuture<Totals>> counts = stores.stream().map(OrderStore::totals).toList();

		assertThat(counts).extracting(OrderStoreContract::answer).containsOnly(answer(afterAStart().totals()));
	}

	private OrderStore afterAStart() {
		return new PostgresOrderStore(this.pool, new NettyLoop(this.loop));
	}

}
