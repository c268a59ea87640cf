package dev.sluice.backend;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import javax.sql.DataSource;

import dev.sluice.contract.SavedOrder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.core.simple.JdbcClient.StatementSpec;
import org.springframework.web.server.ResponseStatusException;

/**
 * {@code backend.store=postgres}: one row for each order, so an order that was answered
 * 201 survives a kill. The table's primary key ensures that an order is saved once, and
 * the same statement returns whether it is a repeat.
 * <p>
 * Each request to the store has a virtual thread, which waits for a connection of the
 * pool, with a timeout. PostgreSQL cancels and rolls back a statement that takes too
 * long. An order that was answered 503 may be saved only if the connection to PostgreSQL
 * breaks in between.
 * <p>
 * The tables are created when PostgreSQL is first reached. PostgreSQL may start later
 * than the backend.
 */
final class PostgresOrderStore extends OrderStore {

	private static final Logger logger = LoggerFactory.getLogger(PostgresOrderStore.class);

	/**
	 * IF NOT EXISTS is not safe for concurrent processes, so they take turns; the number
	 * of the lock is arbitrary. Orders of earlier ledgers are never read; a late save may
	 * leave one.
	 */
	private static final String TABLES = """
			do $$ begin
				perform pg_advisory_xact_lock(349862191973);
				create schema if not exists backend;
				create table if not exists backend.ledger (
					only_one boolean primary key default true check (only_one),
					current bigint not null
				);
				insert into backend.ledger (current) values (1) on conflict do nothing;
				create table if not exists backend.saved_order (
					ledger bigint not null,
					id uuid not null,
					fingerprint bigint not null,
					saved_at timestamptz not null,
					repeats int not null default 0,
					primary key (ledger, id)
				);
			end $$""";

	private static final String SAVE = """
			insert into backend.saved_order as present (ledger, id, fingerprint, saved_at) values (?, ?, ?, ?)
			on conflict (ledger, id) do update set repeats = present.repeats + 1
				where present.fingerprint = excluded.fingerprint
			returning saved_at, repeats""";

	private static final String FIND = "select saved_at from backend.saved_order where ledger = ? and id = ?";

	private static final String TOTALS = """
			select count(*), coalesce(sum(repeats), 0), max(saved_at) from backend.saved_order where ledger = ?""";

	private static final String PAGE = """
			select id, saved_at from backend.saved_order where ledger = ? and id > ? order by id limit 4096""";

	/** No order has it. */
	private static final UUID NIL = new UUID(0, 0);

	private static final Answer UNAVAILABLE = Answer.problem(503,
			"The store did not answer in time. The order is probably not saved");

	private static final Scheduler THREADS = Schedulers
		.fromExecutorService(Executors.newVirtualThreadPerTaskExecutor());

	private final Shared shared;

	/** The audit of this store. */
	private final Mono<Opened> opened;

	/** Opens the store of the database's current audit. */
	PostgresOrderStore(DataSource pool, Scheduler loop) {
		this.shared = new Shared(JdbcClient.create(pool), loop, new AtomicBoolean());
		// Looked up once: later, orders of this process would count as earlier ones.
		this.opened = Mono.fromCallable(this::open).subscribeOn(THREADS).cacheInvalidateIf((_) -> false);
	}

	private PostgresOrderStore(Shared shared, Opened opened) {
		this.shared = shared;
		this.opened = Mono.just(opened);
	}

	@Override
	Mono<Answer> save(UUID id, long fingerprint, long nowMicros) {
		return ask((opened) -> sql(SAVE, opened.audit(), id, fingerprint,
				OrderStore.instant(nowMicros).atOffset(ZoneOffset.UTC))
			.query((row, _) -> {
				SavedOrder order = new SavedOrder(id, instant(row, 1));
				return (row.getInt(2) == 0) ? Answer.saved(order) : Answer.repeated(order);
			})
			.optional()
			.orElseGet(() -> Answer.keyReused(id))).onErrorReturn(ResponseStatusException.class, UNAVAILABLE);
	}

	@Override
	Mono<SavedOrder> find(UUID id) {
		return ask((opened) -> sql(FIND, opened.audit(), id).query((row, _) -> new SavedOrder(id, instant(row, 1)))
			.optional()).flatMap(Mono::justOrEmpty);
	}

	@Override
	Mono<Totals> totals() {
		return ask((opened) -> totals(opened.audit(), opened.earlier()));
	}

	private Totals totals(long audit, long earlier) {
		return sql(TOTALS, audit).query((row, _) -> {
			OffsetDateTime last = row.getObject(3, OffsetDateTime.class);
			return new Totals(row.getLong(1), row.getLong(2), earlier, (last != null) ? last.toInstant() : null);
		}).single();
	}

	@Override
	Flux<SavedOrder> saved() {
		return page(NIL).expand((page) -> page(page.getLast().id())).flatMapIterable((page) -> page, 1);
	}

	private Mono<List<SavedOrder>> page(UUID after) {
		return ask((opened) -> sql(PAGE, opened.audit(), after)
			.query((row, _) -> new SavedOrder(row.getObject(1, UUID.class), instant(row, 2)))
			.list()).filter((page) -> !page.isEmpty());
	}

	@Override
	Mono<OrderStore> next() {
		return ask((_) -> {
			long next = sql("update backend.ledger set current = current + 1 returning current").query(Long.class)
				.single();
			sql("truncate backend.saved_order").update();
			return new PostgresOrderStore(this.shared, new Opened(next, 0));
		});
	}

	private <T> Mono<T> ask(Function<Opened, T> query) {
		return this.opened.flatMap((opened) -> Mono.fromCallable(() -> query.apply(opened)).subscribeOn(THREADS))
			.publishOn(this.shared.loop())
			.doOnNext((_) -> {
				if (this.shared.failing().getAndSet(false)) {
					logger.info("PostgreSQL answers again");
				}
			})
			.onErrorMap((failure) -> {
				String why = NestedExceptionUtils.getMostSpecificCause(failure).getMessage();
				if (!this.shared.failing().getAndSet(true)) {
					logger.warn("PostgreSQL does not answer; orders are refused with 503 until it does: {}", why);
				}
				return new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE, "PostgreSQL does not answer: " + why,
						failure);
			});
	}

	private Opened open() {
		sql(TABLES).update();
		long audit = sql("select current from backend.ledger").query(Long.class).single();
		Totals before = totals(audit, 0);
		return new Opened(audit, before.saved() + before.duplicates());
	}

	private StatementSpec sql(String sql, Object... parameters) {
		return this.shared.jdbc().sql(sql).params(parameters);
	}

	private static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	/** What the stores of all ledgers share. */
	private record Shared(JdbcClient jdbc, Scheduler loop, AtomicBoolean failing) {
	}

	/**
	 * An audit in the database.
	 *
	 * @param audit its number
	 * @param earlier number of requests that it already counts
	 */
	private record Opened(long audit, long earlier) {
	}

}
