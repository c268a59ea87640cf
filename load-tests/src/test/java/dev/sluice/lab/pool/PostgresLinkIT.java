package dev.sluice.lab.pool;

import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.PostgresService;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.pool.ConnectionPool.Limits;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

@ExtendWith(NoProcessLeft.class)
@Tag("embedded")
class PostgresLinkIT {

	private static final int MESSAGES = 50;

	@Test
	void eachMessageIsARowOverKeptConnectionsAndOverNewOnes() throws Exception {
		try (DevServices services = DevServices.start(Infrastructure.fromEnvironment())) {
			PostgresService postgres = services.postgres();
			Link.Opener opener = PostgresLink.to(postgres.jdbcUrl());

			try (Dispatcher kept = new Dispatcher(new ConnectionPool(opener, new Limits(4, 4, 60_000, 60_000)), 10);
					Dispatcher fresh = new Dispatcher(new ConnectionPool(opener, Limits.NEW), 10)) {
				kept.produce(MESSAGES);
				fresh.produce(MESSAGES);

				await().untilAsserted(() -> assertThat(kept.status(0).written()).isEqualTo(MESSAGES));
				await().untilAsserted(() -> assertThat(fresh.status(0).written()).isEqualTo(MESSAGES));
				assertThat(kept.status(0).openedConnections()).isBetween(1L, 4L);
				assertThat(fresh.status(0).openedConnections()).isEqualTo(MESSAGES);
			}

			try (Connection connection = DriverManager.getConnection(postgres.jdbcUrl(), postgres.username(),
					postgres.password());
					Statement statement = connection.createStatement();
					ResultSet rows = statement.executeQuery("select count(*) from pool_message")) {
				assertThat(rows.next()).isTrue();
				assertThat(rows.getInt(1)).isEqualTo(2 * MESSAGES);
			}
		}
	}

	@Test
	void aDatabaseThatIsNotThereIsNoSuccess() {
		assertThatExceptionOfType(IOException.class)
			.isThrownBy(() -> PostgresLink.to("jdbc:postgresql://127.0.0.1:1/sluice"));
	}

}
