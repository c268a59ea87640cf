package dev.sluice.gateway.status;

import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.status.StatusRow;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Requests that wait for the order they queued to be saved ({@code Prefer: wait=n}). They
 * ask PostgreSQL again and again, with growing pauses, and hold no thread but, with
 * {@code platform} and {@code virtual} threads, their own. At most
 * {@code sluice.max-waiters} at once; who comes when there are as many waits not at all.
 * For any number of threads.
 */
@Component
public final class Waiters {

	private static final Duration FIRST_PAUSE = Duration.ofMillis(50);

	private static final Duration LONGEST_PAUSE = Duration.ofMillis(500);

	private static final Logger logger = LoggerFactory.getLogger(Waiters.class);

	private final StatusRepository table;

	private final StatusGuard guard;

	private final Duration limit;

	private final Semaphore places;

	public Waiters(GatewayProperties gateway, StatusProperties properties, StatusRepository table, StatusGuard guard,
			MeterRegistry meters) {
		this.table = table;
		this.guard = guard;
		this.limit = properties.timeout();
		this.places = new Semaphore(gateway.maxWaiters());
		GatewayMetric.WAITERS.gauge(meters, this.places, (places) -> gateway.maxWaiters() - places.availablePermits());
	}

	/**
	 * Waits for an order to be saved.
	 * @param id the order's id
	 * @param wait how long at most
	 * @param gone whether the client has gone; then the wait ends within
	 * {@link #LONGEST_PAUSE}
	 * @return how it ended; does not fail
	 */
	public CompletionStage<End> untilSaved(UUID id, Duration wait, BooleanSupplier gone) {
		if (!this.places.tryAcquire()) {
			return CompletableFuture.completedFuture(new End.NotWaited());
		}
		return look(id, FIRST_PAUSE, System.nanoTime() + wait.toNanos(), gone)
			.whenComplete((_, _) -> this.places.release());
	}

	private CompletionStage<End> look(UUID id, Duration pause, long deadlineNanos, BooleanSupplier gone) {
		return this.guard.ask(this.limit, () -> this.table.find(id).map(StatusRow::view))
			.handle((order, failure) -> (order != null) ? end(order, deadlineNanos) : noAnswer(id, failure))
			.thenCompose((end) -> end.isPresent() ? CompletableFuture.completedFuture(end.get())
					: after(nanos(pause, deadlineNanos))
						.thenCompose((_) -> lookAgain(id, next(pause), deadlineNanos, gone)));
	}

	private CompletionStage<End> lookAgain(UUID id, Duration pause, long deadlineNanos, BooleanSupplier gone) {
		return gone.getAsBoolean() ? CompletableFuture.completedFuture(new End.NotWaited())
				: look(id, pause, deadlineNanos, gone);
	}

	private static CompletableFuture<@Nullable Void> after(long nanos) {
		return new CompletableFuture<@Nullable Void>().completeOnTimeout(null, nanos, TimeUnit.NANOSECONDS);
	}

	private static Optional<End> noAnswer(UUID id, @Nullable Throwable failure) {
		logger.debug("Whether order {} is saved cannot be found out", id, failure);
		return Optional.of(new End.NotWaited());
	}

	/**
	 * What one look at the order says.
	 * @return the end of the wait, empty if it goes on
	 */
	private static Optional<End> end(Optional<OrderView> order, long deadlineNanos) {
		OrderStatus status = order.map(OrderView::status).orElse(OrderStatus.ACCEPTED);
		return switch (status) {
			case SAVED -> order.map(End.Saved::new);
			case FAILED -> Optional.of(new End.NotSaved());
			case ACCEPTED, RETRYING ->
				(System.nanoTime() >= deadlineNanos) ? Optional.of(new End.NotSaved()) : Optional.empty();
		};
	}

	private static Duration next(Duration pause) {
		Duration twice = pause.multipliedBy(2);
		return (twice.compareTo(LONGEST_PAUSE) < 0) ? twice : LONGEST_PAUSE;
	}

	/** Not beyond the deadline, where a last look is taken. */
	private static long nanos(Duration pause, long deadlineNanos) {
		return Math.max(1, Math.min(pause.toNanos(), deadlineNanos - System.nanoTime()));
	}

	/** How waiting ended. */
	public sealed interface End {

		/** The order is saved. */
		record Saved(OrderView order) implements End {
		}

		/** It is not, and the time is over, or the order has failed. */
		record NotSaved() implements End {
		}

		/**
		 * There was no place to wait, PostgreSQL did not answer, or the client has gone.
		 */
		record NotWaited() implements End {
		}

	}

}
