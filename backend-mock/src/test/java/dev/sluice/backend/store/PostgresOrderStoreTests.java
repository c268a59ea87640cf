package dev.sluice.backend.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.sql.DataSource;

import dev.sluice.backend.loop.Loop;
import dev.sluice.contract.SavedOrder;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.Test;
import org.mockito.Answers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

/** The store with a connection that fails as the test decides. */
class PostgresOrderStoreTests {

	private static final UUID ID = new UUID(1, 2);

	private static final Instant SAVED_AT = Instant.parse("2026-01-01T00:00:00Z");

	private final LinkedBlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();

	private final List<Answer> answers = new CopyOnWriteArrayList<>();

	@Test
	void answersOnceWhenTheConnectionCannotBeClosed() throws Exception {
		Connection connection = mock(Connection.class, Answers.RETURNS_DEEP_STUBS);
		ResultSet row = mock(ResultSet.class);
		when(row.next()).thenReturn(true);
		when(row.getLong(1)).thenReturn(1L);
		when(row.getObject(1, OffsetDateTime.class)).thenReturn(SAVED_AT.atOffset(ZoneOffset.UTC));
		when(connection.createStatement().executeQuery(anyString())).thenReturn(row);
		PreparedStatement statement = mock(PreparedStatement.class);
		when(connection.prepareStatement(anyString())).thenReturn(statement);
		when(statement.executeQuery()).thenReturn(row);
		doThrow(new SQLException("the connection is gone")).when(connection).close();
		DataSource pool = mock(DataSource.class);
		when(pool.getConnection()).thenReturn(connection);

		PostgresOrderStore store = new PostgresOrderStore(pool, loop());

		store.save(ID, 7, 1, this.answers::add);
		runNext();
		// Everything that the first still reports comes before the answer to the second.
		store.save(ID, 7, 1, this.answers::add);
		runNext();

		assertThat(this.tasks).isEmpty();
		assertThat(this.answers).hasSize(2).containsOnly(new Answer.Saved(new SavedOrder(ID, SAVED_AT)));
	}

	private void runNext() throws InterruptedException {
		Runnable task = this.tasks.poll(Patience.ofSeconds(60).toSeconds(), TimeUnit.SECONDS);
		assertThat(task).isNotNull();
		task.run();
	}

	private Loop loop() {
		Loop loop = mock(Loop.class);
		doAnswer((call) -> this.tasks.add(call.getArgument(0))).when(loop).execute(any());
		return loop;
	}

}
