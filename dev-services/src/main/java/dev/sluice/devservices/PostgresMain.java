package dev.sluice.devservices;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The main class of the child JVM that starts PostgreSQL and stops it when it is told to
 * end. Arguments: see {@link EmbeddedProcess}.
 */
final class PostgresMain {

	private static final Duration START_TIMEOUT = Duration.ofSeconds(110);

	private PostgresMain() {
	}

	public static void main(String[] args) throws IOException, SQLException, InterruptedException {
		CompletableFuture<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> started = new CompletableFuture<>();
		// Before the start: PostgreSQL is a process of its own and would outlive this
		// one.
		Runtime.getRuntime().addShutdownHook(new Thread(() -> close(started), "postgres-close"));
		var postgres = start(Integer.parseInt(args[0]), Path.of(args[1]), started);
		try (Connection connection = postgres.getPostgresDatabase().getConnection();
				Statement statement = connection.createStatement()) {
			try (ResultSet roles = statement.executeQuery("select from pg_roles where rolname = 'sluice'")) {
				if (!roles.next()) {
					statement.execute("create role sluice login password 'sluice'");
				}
			}
			try (ResultSet databases = statement.executeQuery("select from pg_database where datname = 'sluice'")) {
				if (!databases.next()) {
					statement.execute("create database sluice owner sluice");
				}
			}
		}
		EmbeddedProcess.serving(args, () -> close(started));
		new CountDownLatch(1).await();
	}

	private static io.zonky.test.db.postgres.embedded.EmbeddedPostgres start(int port, Path directory,
			CompletableFuture<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> started) throws IOException {
		Path programs = Files.createDirectories(Path.of(System.getProperty("java.io.tmpdir"),
				"sluice-postgres-programs-" + System.getProperty("user.name")));
		try (FileChannel channel = FileChannel.open(programs.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock _ = channel.lock()) {
			deleteHalfUnpacked(programs);
			var postgres = io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
				.setPort(port)
				.setOverrideWorkingDirectory(programs.toFile())
				.setDataDirectory(directory)
				.setCleanDataDirectory(false)
				.setRegisterShutdownHook(false)
				.setPGStartupWait(START_TIMEOUT)
				.setServerConfig("listen_addresses", "127.0.0.1")
				.setServerConfig("max_connections", "200")
				// This library turns both off: then commits would cost nothing.
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.start();
			started.complete(postgres);
			return postgres;
		}
		finally {
			started.completeExceptionally(new IllegalStateException("PostgreSQL did not start"));
		}
	}

	/**
	 * What was interrupted while it unpacked; the library would stumble over it for ever.
	 */
	private static void deleteHalfUnpacked(Path programs) throws IOException {
		try (DirectoryStream<Path> versions = Files.newDirectoryStream(programs, "PG-*")) {
			for (Path version : versions) {
				if (!Files.exists(version.resolve(".exists"))) {
					EmbeddedProcess.deleteTree(version);
				}
			}
		}
	}

	private static synchronized void close(
			CompletableFuture<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> started) {
		try {
			// Twice if it serves, and the second waits for the first: its data goes next.
			started.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS).close();
		}
		catch (ExecutionException _) {
			// Nothing to close; why, is in the log.
		}
		catch (InterruptedException | TimeoutException | IOException ex) {
			throw new IllegalStateException("PostgreSQL does not stop", ex);
		}
	}

}
