package dev.sluice.backend.store;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

import javax.sql.DataSource;

import dev.sluice.backend.loop.Loop;
import dev.sluice.contract.SavedOrder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
public final class PostgresOrderStore implements OrderStore {

	private static final Logger logger = LoggerFactory.getLogger(PostgresOrderStore.class);

	/** Key of the advisory lock for creating the tables. The number is arbitrary. */
	private static final long LOCK = 0x51_75_69_63_65L;

	/** Orders of earlier ledgers are never read; a late save may leave one. */
	private static final String TABLES = """
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
			)""";

	private static final String SAVE = """
			insert into backend.saved_order as present (ledger, id, fingerprint, saved_at) values (?, ?, ?, ?)
			on conflict (ledger, id) do update set repeats = present.repeats + 1
				where present.fingerprint = excluded.fingerprint
			returning saved_at, repeats""";

	private static final String FIND = "select saved_at from backend.saved_order where ledger = ? and id = ?";

	private static final String SAVED = "select count(*) from backend.saved_order where ledger = ?";

	private static final String TOTALS = """
			select count(*), coalesce(sum(repeats), 0), max(saved_at) from backend.saved_order where ledger = ?""";

	private static final String EXPORT = """
			select id, saved_at from backend.saved_order where ledger = ? and get_byte(uuid_send(id), 0) = ?""";

	private final Shared shared;

	private volatile @Nullable Opened opened;

	/** Opens the store of the database's current audit. */
	public PostgresOrderStore(DataSource pool, Loop loop) {
		this(new Shared(pool, loop, new ReentrantLock(), new AtomicBoolean()), null);
	}

	private PostgresOrderStore(Shared shared, @Nullable Opened opened) {
		this.shared = shared;
		this.opened = opened;
	}

	@Override
	public void save(UUID id, long fingerprint, long nowMicros, Consumer<Answer> then) {
		ask((connection, opened) -> save(connection, opened.audit(), id, fingerprint, nowMicros), then,
				(_) -> then.accept(new Answer.StoreUnavailable()));
	}

	private static Answer save(Connection connection, long audit, UUID id, long fingerprint, long nowMicros)
			throws SQLException {
		try (PreparedStatement save = connection.prepareStatement(SAVE)) {
			save.setLong(1, audit);
			save.setObject(2, id);
			save.setLong(3, fingerprint);
			save.setObject(4, Micros.toInstant(nowMicros).atOffset(ZoneOffset.UTC));
			try (ResultSet row = save.executeQuery()) {
				if (!row.next()) {
					return new Answer.KeyReused(id);
				}
				SavedOrder order = new SavedOrder(id, instant(row, 1));
				return (row.getInt(2) == 0) ? new Answer.Saved(order) : new Answer.Repeated(order);
			}
		}
	}

	@Override
	public CompletableFuture<Optional<SavedOrder>> find(UUID id) {
		return ask((connection, opened) -> {
			try (PreparedStatement find = connection.prepareStatement(FIND)) {
				find.setLong(1, opened.audit());
				find.setObject(2, id);
				try (ResultSet row = find.executeQuery()) {
					return row.next() ? Optional.of(new SavedOrder(id, instant(row, 1))) : Optional.empty();
				}
			}
		});
	}

	@Override
	public CompletableFuture<Long> saved() {
		return ask((connection, opened) -> {
			try (PreparedStatement count = connection.prepareStatement(SAVED)) {
				count.setLong(1, opened.audit());
				try (ResultSet row = count.executeQuery()) {
					row.next();
					return row.getLong(1);
				}
			}
		});
	}

	@Override
	public CompletableFuture<Totals> totals() {
		return ask(PostgresOrderStore::totals);
	}

	private static Totals totals(Connection connection, Opened opened) throws SQLException {
		try (PreparedStatement totals = connection.prepareStatement(TOTALS)) {
			totals.setLong(1, opened.audit());
			try (ResultSet row = totals.executeQuery()) {
				row.next();
				OffsetDateTime last = row.getObject(3, OffsetDateTime.class);
				return new Totals(row.getLong(1), row.getLong(2), opened.earlier(),
						(last != null) ? last.toInstant() : null);
			}
		}
	}

	@Override
	public CompletableFuture<byte[]> export(int part) {
		return ask((connection, opened) -> {
			try (PreparedStatement export = connection.prepareStatement(EXPORT)) {
				export.setLong(1, opened.audit());
				export.setInt(2, part);
				ByteArrayOutputStream bytes = new ByteArrayOutputStream();
				try (ResultSet row = export.executeQuery(); DataOutputStream out = new DataOutputStream(bytes)) {
					while (row.next()) {
						UUID id = row.getObject(1, UUID.class);
						out.writeLong(id.getMostSignificantBits());
						out.writeLong(id.getLeastSignificantBits());
						out.writeLong(Micros.of(instant(row, 2)));
					}
				}
				catch (IOException ex) {
					throw new UncheckedIOException("Memory can be written", ex);
				}
				return bytes.toByteArray();
			}
		});
	}

	@Override
	public CompletableFuture<OrderStore> next() {
		return ask((connection, _) -> new PostgresOrderStore(this.shared, inTransaction(connection, (statement) -> {
			long next;
			try (ResultSet row = statement
				.executeQuery("update backend.ledger set current = current + 1 returning current")) {
				row.next();
				next = row.getLong(1);
			}
			statement.execute("truncate backend.saved_order");
			return new Opened(next, 0);
		})));
	}

	private <T> CompletableFuture<T> ask(Query<T> query) {
		CompletableFuture<T> answer = new CompletableFuture<>();
		ask(query, answer::complete, answer::completeExceptionally);
		return answer;
	}

	private <T> void ask(Query<T> query, Consumer<T> then, Consumer<StoreUnavailableException> otherwise) {
		Thread.ofVirtual().name("order-store").start(() -> {
			T answer;
			try {
				answer = answer(query);
			}
			catch (SQLException | RuntimeException ex) {
				if (!this.shared.failing().getAndSet(true)) {
					logger.warn("PostgreSQL does not answer; orders are refused with 503 until it does: {}",
							ex.toString());
				}
				var unavailable = new StoreUnavailableException("PostgreSQL does not answer: " + ex.getMessage(), ex);
				this.shared.loop().execute(() -> otherwise.accept(unavailable));
				return;
			}
			if (this.shared.failing().getAndSet(false)) {
				logger.info("PostgreSQL answers again");
			}
			this.shared.loop().execute(() -> then.accept(answer));
		});
	}

	private <T> T answer(Query<T> query) throws SQLException {
		Connection connection = this.shared.pool().getConnection();
		try {
			return query.ask(connection, opened(connection));
		}
		finally {
			close(connection);
		}
	}

	/** Ignores a failure to close: it does not undo a committed statement. */
	private static void close(Connection connection) {
		try {
			connection.close();
		}
		catch (SQLException ex) {
			logger.warn("A connection could not be closed: {}", ex.toString());
		}
	}

	/** The audit of this store, looked up once. */
	private Opened opened(Connection connection) throws SQLException {
		Opened known = this.opened;
		if (known != null) {
			return known;
		}
		this.shared.opening().lock();
		try {
			known = this.opened;
			if (known == null) {
				known = inTransaction(connection, PostgresOrderStore::open);
				this.opened = known;
			}
			return known;
		}
		finally {
			this.shared.opening().unlock();
		}
	}

	private static Opened open(Statement statement) throws SQLException {
		// IF NOT EXISTS is not safe for concurrent processes.
		statement.execute("select pg_advisory_xact_lock(%s)".formatted(LOCK));
		statement.execute(TABLES);
		try (ResultSet row = statement.executeQuery("select current from backend.ledger")) {
			row.next();
			long audit = row.getLong(1);
			Totals before = totals(statement.getConnection(), new Opened(audit, 0));
			return new Opened(audit, before.saved() + before.duplicates());
		}
	}

	private static <T> T inTransaction(Connection connection, Work<T> work) throws SQLException {
		connection.setAutoCommit(false);
		try (Statement statement = connection.createStatement()) {
			T result = work.with(statement);
			connection.commit();
			connection.setAutoCommit(true);
			return result;
		}
		// If the commit fails, the pool rolls back and resets the connection.
	}

	private static Instant instant(ResultSet row, int column) throws SQLException {
		return row.getObject(column, OffsetDateTime.class).toInstant();
	}

	/** The state that the stores of all ledgers share. */
	private record Shared(DataSource pool, Loop loop, ReentrantLock opening, AtomicBoolean failing) {
	}

	/**
	 * An audit in the database.
	 *
	 * @param audit its number
	 * @param earlier number of requests that it already counts
	 */
	private record Opened(long audit, long earlier) {
	}

	@FunctionalInterface
	private interface Query<T> {

		T ask(Connection connection, Opened opened) throws SQLException;

	}

	@FunctionalInterface
	private interface Work<T> {

		T with(Statement statement) throws SQLException;

	}

}
