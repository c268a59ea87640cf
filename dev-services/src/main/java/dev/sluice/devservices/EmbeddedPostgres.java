package dev.sluice.devservices;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * PostgreSQL under a child JVM, which stops it when the JVM itself ends. {@link #main}
 * runs in the child, with the arguments of {@link EmbeddedProcess}.
 * <p>
 * PostgreSQL listens on the loopback interface only, opens no socket in the file system,
 * and every login needs a password. The superuser's password is random and kept next to
 * the data, in a file that only this user can read.
 */
final class EmbeddedPostgres {

	/**
	 * Unpacking PostgreSQL for the first time takes more than 64 MiB of heap, running it
	 * takes none.
	 */
	private static final List<String> JVM_ARGS = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

	/** Shorter than the parent waits, so that this process can log the cause. */
	private static final Duration START_TIMEOUT = DevServices.startTimeout().minusSeconds(10);

	private EmbeddedPostgres() {
	}

	/** Starts nothing. */
	static EmbeddedProcess server(int port) {
		return new EmbeddedProcess("postgres", port, EmbeddedPostgres.class, JVM_ARGS, () -> true);
	}

	public static void main(String[] args) throws Exception {
		FutureTask<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> start = new FutureTask<>(() -> start(args));
		// Before the start, because PostgreSQL is a process of its own and would outlive
		// this one.
		EmbeddedProcess.stopping(args, () -> close(start));
		boolean first = !Files.exists(passwordFile(args));
		start.run();
		var postgres = start.get();
		if (first) {
			try (Connection connection = postgres.getPostgresDatabase().getConnection();
					Statement statement = connection.createStatement()) {
				statement.execute("create role sluice login password 'sluice'");
				statement.execute("create database sluice owner sluice");
			}
		}
		EmbeddedProcess.ready();
		new CountDownLatch(1).await();
	}

	private static io.zonky.test.db.postgres.embedded.EmbeddedPostgres start(String[] args) throws IOException {
		// The library makes the programs writable for everyone. Only the parent directory
		// protects them. In a temporary directory, others could create it first.
		Path home = Files.createDirectories(Path.of(System.getProperty("user.home"), ".cache", "sluice-postgres"),
				permissions("rwx------"));
		Path programs = Files.createDirectories(home.resolve("programs"));
		Path directory = Path.of(args[1]);
		Path passwordFile = passwordFile(args);
		if (!Files.exists(passwordFile)) {
			Files.createFile(passwordFile, permissions("rw-------"));
			Files.writeString(passwordFile, UUID.randomUUID().toString());
		}
		try (FileChannel channel = FileChannel.open(programs.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock _ = channel.lock()) {
			deleteHalfUnpacked(programs);
			return io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
				.setPort(Integer.parseInt(args[0]))
				.setOverrideWorkingDirectory(programs.toFile())
				.setDataDirectory(directory)
				.setCleanDataDirectory(false)
				.setRegisterShutdownHook(false)
				.setPGStartupWait(START_TIMEOUT)
				// The library has no options for these. It passes them on to initdb,
				// after its own '-A trust', which they replace.
				.setLocaleConfig("auth", "scram-sha-256")
				.setLocaleConfig("encoding", "UTF8")
				.setLocaleConfig("locale", "C")
				.setLocaleConfig("pwfile", passwordFile.toString())
				.setConnectConfig("password", Files.readString(passwordFile))
				.setServerConfig("listen_addresses", "127.0.0.1")
				.setServerConfig("unix_socket_directories", "")
				.setServerConfig("max_connections", "200")
				// The library turns both off, so that commits would cost nothing.
				.setServerConfig("fsync", "on")
				.setServerConfig("synchronous_commit", "on")
				.start();
		}
	}

	/** The superuser's password, next to the data, for each start. */
	private static Path passwordFile(String[] args) {
		return Path.of(args[1]).resolveSibling("password");
	}

	/**
	 * Deletes programs whose unpacking was interrupted. The library would fail on them at
	 * every start.
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

	private static FileAttribute<?> permissions(String permissions) {
		return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
	}

	private static void close(Future<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> start) {
		try {
			start.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS).close();
		}
		catch (ExecutionException _) {
			// Nothing to close. The log says why.
		}
		catch (InterruptedException | TimeoutException | IOException ex) {
			throw new IllegalStateException("PostgreSQL does not stop", ex);
		}
	}

}
