package dev.sluice.devservices;

import java.nio.file.Path;
import java.util.List;

import org.jspecify.annotations.Nullable;

/** PostgreSQL under a child JVM, which stops it when the JVM itself ends. */
final class EmbeddedPostgres extends EmbeddedProcess implements PostgresService {

	/**
	 * Unpacking PostgreSQL for the first time takes more than 64 MiB of heap, running it
	 * takes none.
	 */
	private static final List<String> JVM_ARGS = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

	/**
	 * Starts nothing.
	 * @param port 0 picks a free one
	 * @param directory null for a temporary one
	 */
	EmbeddedPostgres(int port, @Nullable Path directory) {
		super("postgres", port, PostgresMain.class, JVM_ARGS, directory);
	}

}
