package dev.sluice.consumer.projection;

import java.net.ConnectException;
import java.sql.SQLException;

import org.junit.jupiter.api.Test;

import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.jdbc.CannotGetJdbcConnectionException;

import static org.assertj.core.api.Assertions.assertThat;

class ProjectionTests {

	@Test
	void logsTheRootCauseInOneLine() {
		SQLException cause = new SQLException("pool is\n empty", new ConnectException("connection refused"));

		assertThat(Projection.oneLine(new CannotGetJdbcConnectionException("no connection", cause)))
			.startsWith("org.springframework.jdbc.CannotGetJdbcConnectionException: no connection")
			.endsWith(": java.net.ConnectException: connection refused")
			.doesNotContain("\n");
		assertThat(Projection.oneLine(new DataAccessResourceFailureException("disk full")))
			.isEqualTo("org.springframework.dao.DataAccessResourceFailureException: disk full");
	}

}
