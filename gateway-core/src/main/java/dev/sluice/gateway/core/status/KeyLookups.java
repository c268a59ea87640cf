package dev.sluice.gateway.core.status;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.LinkedBlockingQueue;
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
 * PostgreSQL, each for at most {@link StatusProperties#keyLookupLimit}. Look-ups that
 * waited for the same answer of Kafka share queries of PostgreSQL, so a key costs less
 * the more there are. Holds no more look-ups than there are requests in progress.
 * Thread-safe.
 */
@Component
public final class KeyLookups {

	private static final Logger logger = LoggerFactory.getLogger(KeyLookups.class);

	/** Maximum number of keys in a query. */
	private static final int KEYS = 32;

	private final StatusProperties properties;

	private final RecentOrders recent;

	private final Table table;

	private final MeterRegistry meters;

	private final Executor executor;

	/** Those that Kafka has answered. */
	private final BlockingQueue<Lookup> waiting = new LinkedBlockingQueue<>();

	private final AtomicBoolean soon = new AtomicBoolean();

	@Autowired
	public KeyLookups(StatusProperties properties, RecentOrders recent, Table table, MeterRegistry meters) {
		this(properties, recent, table, meters, ForkJoinPool.commonPool());
	}

	KeyLookups(StatusProperties properties, RecentOrders recent, Table table, MeterRegistry meters, Executor executor) {
		this.properties = properties;
		this.recent = recent;
		this.table = table;
		this.meters = meters;
		this.executor = executor;
	}

	/**
	 * Looks up what a key was used for.
	 * @param id the id derived from the key
	 * @param mode the mode of the order that has the key now: a queued one needs only
	 * Kafka
	 * @return completes on a thread that must not be blocked; fails only because of a bug
	 */
	public CompletableFuture<KeyUse> find(UUID id, Mode mode) {
		if (this.properties.keyLookupTimeout().isZero()) {
			return CompletableFuture.completedFuture(new KeyUse.Unused());
		}
		long startNanos = System.nanoTime();
		Duration limit = this.properties.keyLookupLimit(mode);
		return RecentOrder.caughtUp(id, this.recent, limit).thenCompose((inKafka) -> {
			Lookup lookup = new Lookup(inKafka, mode, new CompletableFuture<>());
			this.waiting.add(lookup);
			askSoon();
			// A query ends by itself. This is for one that is lost, such as for want of
			// memory.
			return lookup.use().completeOnTimeout(KeyUse.of(inKafka, null), 2 * limit.toNanos(), TimeUnit.NANOSECONDS);
		}).whenComplete((use, _) -> {
			if (use != null) {
				use.record(this.meters, System.nanoTime() - startNanos);
			}
		});
	}

	/** Not at once: Kafka's answer ends one wait after the other. */
	private void askSoon() {
		if (this.soon.compareAndSet(false, true)) {
			try {
				this.executor.execute(this::ask);
			}
			catch (RuntimeException | Error ex) {
				this.soon.set(false);
				throw ex;
			}
		}
	}

	private void ask() {
		this.soon.set(false);
		List<Lookup> all = new ArrayList<>();
		this.waiting.drainTo(all);
		for (Mode mode : Mode.values()) {
			List<Lookup> lookups = all.stream().filter((lookup) -> lookup.mode() == mode).toList();
			for (int from = 0; from < lookups.size(); from += KEYS) {
				ask(lookups.subList(from, Math.min(from + KEYS, lookups.size())), this.properties.keyLookupLimit(mode));
			}
		}
	}

	private void ask(List<Lookup> lookups, Duration limit) {
		List<UUID> ids = lookups.stream().map((lookup) -> lookup.inKafka().id()).toList();
		CompletableFuture.completedFuture(ids)
			.thenCompose((_) -> this.table.keyUses(ids, limit))
			.whenComplete((uses, failure) -> lookups.forEach((lookup) -> lookup.end(uses, failure)));
	}

	/** Runs a query that holds its thread, on a virtual one. */
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

	private record Lookup(RecentOrder inKafka, Mode mode, CompletableFuture<KeyUse> use) {

		void end(@Nullable Map<UUID, KeyUse.Used> uses, @Nullable Throwable failure) {
			Throwable cause = (failure instanceof CompletionException) ? failure.getCause() : failure;
			if (cause == null) {
				this.use.complete(
						KeyUse.of(this.inKafka, Optional.ofNullable(uses).map((all) -> all.get(this.inKafka.id()))));
			}
			else if (cause instanceof ProblemException) {
				this.use.complete(KeyUse.of(this.inKafka, null));
			}
			else if (this.mode == Mode.SYNC) {
				this.use.completeExceptionally(cause);
			}
			else {
				logger.error("PostgreSQL cannot be asked because of a bug", cause);
				this.use.complete(KeyUse.of(this.inKafka, null));
			}
		}

	}

}
