package dev.sluice.consumer.projection;

import java.sql.SQLException;

import com.zaxxer.hikari.SQLExceptionOverride;

/**
 * Closes a connection to a server that is read-only since a failover. By itself HikariCP
 * closes those that failed with SQLSTATE 08xxx and 57P01 to 57P03. Created by HikariCP.
 */
public final class ReadOnlyEviction implements SQLExceptionOverride {

	private static final String READ_ONLY_TRANSACTION = "25006";

	@java.lang.Override
	public Override adjudicate(SQLException failure) {
		return READ_ONLY_TRANSACTION.equals(failure.getSQLState()) ? Override.MUST_EVICT : Override.CONTINUE_EVICT;
	}

}
