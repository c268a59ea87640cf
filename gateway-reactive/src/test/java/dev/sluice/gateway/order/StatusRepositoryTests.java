package dev.sluice.gateway.order;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import dev.sluice.gateway.core.status.StatusRepositoryContract;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.springframework.boot.r2dbc.autoconfigure.R2dbcProperties;
import org.springframework.dao.DataAccessResourceFailureException;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Operators;
import reactor.util.context.Context;

import static org.assertj.core.api.Assertions.assertThat;

class StatusRepositoryTests extends StatusRepositoryContract {

	private StatusRepository repository;

	@Override
	protected void open(CircuitBreakerRegistry circuits, int connections) {
		R2dbcProperties r2dbc = new R2dbcProperties();
		r2dbc.getPool().setMaxSize(connections);
		this.repository = new StatusRepository(circuits, r2dbc, null);
	}

	@Override
	protected CompletableFuture<String> ask(Duration limit, CompletableFuture<String> query) {
		return this.repository.ask(limit, Mono.fromFuture(query, true)).toFuture();
	}

	@Override
	protected void awaitQueries(int count) {
		// They have begun when ask returns.
	}

	/** The driver does not cancel a query that runs. Nobody needs a line in the log. */
	@Test
	void ignoresAFailureAfterTheLimit() {
		AtomicReference<Subscriber<? super String>> driver = new AtomicReference<>();
		Mono<String> query = Mono.fromDirect((subscriber) -> {
			subscriber.onSubscribe(Operators.emptySubscription());
			driver.set(subscriber);
		});
		List<Throwable> dropped = new ArrayList<>();
		Consumer<Throwable> log = dropped::add;
		assertThat(this.repository.ask(SHORT, query)
			.contextWrite(Context.of("reactor.onErrorDropped.local", log))
			.toFuture()).failsWithin(PATIENCE);

		driver.get().onError(new DataAccessResourceFailureException("down"));

		assertThat(dropped).isEmpty();
	}

}
