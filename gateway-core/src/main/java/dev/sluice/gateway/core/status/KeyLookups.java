package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;

import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.queue.RecentOrders;
import io.micrometer.core.instrument.MeterRegistry;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.stereotype.Component;

/**
 * Looks up what idempotency keys were used for: first in Kafka, up to its end, then in
 * PostgreSQL, each for at most {@link StatusProperties#keyLookupLimit}. Look-ups share
 * queries: while {@value #QUERIES} run, further look-ups wait for the next one. So the
 * cost of a key falls as the load rises. Thread-safe.
 */
@Component
public final class KeyLookups {

	private static final Logger logger = LoggerFactory.getLogger(KeyLookups.class);

	/** Maximum number of queries at once, of queued and of sync orders each. */
	private static final int QUERIES = 4;

	/** Maximum number of keys in a query. */
	private static final int KEYS = 32;

	private final StatusProperties properties;

	private final RecentOrders recent;

	private final MeterRegistry meters;

	private final Queries queued;

	private final Queries sync;

	@Autowired
	public KeyLookups(StatusProperties properties, RecentOrders recent, Table table, MeterRegistry meters) {
		this(properties, recent, table, meters, ForkJoinPool.commonPool());
	}

	KeyLookups(StatusProperties properties, RecentOrders recent, Table table, MeterRegistry meters, Executor executor) {
		this.properties = properties;
		this.recent = recent;
		this.meters = meters;
		this.queued = new Queries(table, properties.keyLookupLimit(Mode.QUEUED), executor);
		this.sync = new Queries(table, properties.keyLookupLimit(Mode.SYNC), executor);
	}

	/**
	 * Looks up what a key was used for.
	 * @param id the id derived from the key
	 * @param mode the mode of the order that has the key now: a queued one needs only
	 * Kafka
	 * @return completes within twice the limit, on a thread that must not be blocked;
	 * fails only because of a bug
	 */
	public CompletableFuture<KeyUse> find(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return CompletableFuture.completedFuture(new KeyUse.Unused());
		}
		Queries queries = (mode == Mode.SYNC) ? this.sync : this.queued;
		long startNanos = System.nanoTime();
		return RecentOrder.caughtUp(id, this.recent, queries.limit)
			.thenCompose((inKafka) -> queries.find(id).handle((inTable, bug) -> {
				if (bug != null && mode == Mode.SYNC) {
					throw new CompletionException(bug);
				}
				if (bug != null) {
					logger.error("PostgreSQL cannot be asked because of a bug", bug);
				}
				KeyUse use = KeyUse.of(inKafka, inTable);
				use.record(this.meters, System.nanoTime() - startNanos);
				return use;
			}));
	}

	/** Runs a query that blocks on a virtual thread: at most a few at once. */
	public static <T extends @Nullable Object> CompletableFuture<T> blocking(Supplier<T> query) {
		return CompletableFuture.supplyAsync(query, (task) -> Thread.ofVirtual().name("keys").start(task));
	}

	/** What the table {@code order_status} knows. */
	@FunctionalInterface
	public interface Table {

		/**
		 * Looks up what ids were used for.
		 * @param ids 1 to {@value KeyLookups#KEYS} of them
		 * @param limit maximum time to wait for the answer
		 * @return those that were used, or null if none was; fails with
		 * {@link ProblemException} if PostgreSQL does not answer
		 */
		CompletableFuture<@Nullable Map<UUID, KeyUse.Used>> keyUses(List<UUID> ids, Duration limit);

	}

	/** Look-ups with one limit. */
	private static final class Queries {

		private final Table table;

		private final Duration limit;

		private final Executor executor;

		private final BlockingQueue<Lookup> waiting = new ArrayBlockingQueue<>(StatusPolicy.MAX_WAITING);

		private final Semaphore free = new Semaphore(QUERIES);

		private final AtomicBoolean soon = new AtomicBoolean();

		Queries(Table table, Duration limit, Executor executor) {
			this.table = table;
			this.limit = limit;
			this.executor = executor;
		}

		/** Null if PostgreSQL did not answer, or has too much to do to be asked. */
		CompletableFuture<@Nullable Optional<KeyUse.Used>> find(UUID id) {
			Lookup lookup = new Lookup(id, new CompletableFuture<>());
			if (!this.waiting.offer(lookup)) {
				return CompletableFuture.completedFuture(null);
			}
			askSoon();
			return lookup.answer().completeOnTimeout(null, this.limit.toNanos(), TimeUnit.NANOSECONDS);
		}

		/** Not at once: those that waited for one answer of Kafka share a query. */
		private void askSoon() {
			if (!this.waiting.isEmpty() && this.free.availablePermits() > 0 && this.soon.compareAndSet(false, true)) {
				this.executor.execute(this::ask);
			}
		}

		private void ask() {
			this.soon.set(false);
			if (!this.free.tryAcquire()) {
				// The next query to end goes on.
				return;
			}
			List<Lookup> lookups = new ArrayList<>();
			this.waiting.drainTo(lookups, KEYS);
			askSoon();
			lookups.removeIf((lookup) -> lookup.answer().isDone());
			List<UUID> ids = lookups.stream().map(Lookup::id).toList();
			CompletableFuture.completedFuture(ids)
				.thenCompose((_) -> ids.isEmpty() ? CompletableFuture.completedFuture(null)
						: this.table.keyUses(ids, this.limit))
				.whenComplete((uses, failure) -> {
					this.free.release();
					askSoon();
					lookups.forEach((lookup) -> lookup.end(uses, failure));
				});
		}

	}

	private record Lookup(UUID id, CompletableFuture<@Nullable Optional<KeyUse.Used>> answer) {

		void end(@Nullable Map<UUID, KeyUse.Used> uses, @Nullable Throwable failure) {
			switch ((failure instanceof CompletionException) ? failure.getCause() : failure) {
				case null -> this.answer.complete(Optional.ofNullable(uses).map((all) -> all.get(this.id)));
				case ProblemException _ -> this.answer.complete(null);
				case Throwable bug -> this.answer.completeExceptionally(bug);
			}
		}

	}

}
