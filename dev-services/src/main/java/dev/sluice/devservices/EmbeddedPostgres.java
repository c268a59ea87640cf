package dev.sluice.devservices;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
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
final class EmbeddedPostgres extends EmbeddedProcess implements PostgresService {

	/**
	 * Unpacking PostgreSQL for the first time takes more than 64 MiB of heap, running it
	 * takes none.
	 */
	private static final List<String> JVM_ARGS = List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1");

	/** Shorter than the parent waits, so that this process can log the cause. */
	private static final Duration START_TIMEOUT = DevServices.startTimeout().minusSeconds(10);

	private static final int PASSWORD_BYTES = 16;

	/**
	 * Starts nothing.
	 * @param port 0 picks a free one
	 */
	EmbeddedPostgres(int port) {
		super("postgres", port, EmbeddedPostgres.class, JVM_ARGS);
	}

	public static void main(String[] args) throws IOException, SQLException, InterruptedException {
		CompletableFuture<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> started = new CompletableFuture<>();
		// Before the start, because PostgreSQL is a process of its own and would outlive
		// this one.
		Runtime.getRuntime().addShutdownHook(new Thread(() -> close(started), "postgres-close"));
		try {
			started.complete(start(Integer.parseInt(args[0]), Path.of(args[1])));
		}
		finally {
			started.completeExceptionally(new IllegalStateException("PostgreSQL did not start"));
		}
		try (Connection connection = started.join().getPostgresDatabase().getConnection();
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
		serving(args, () -> close(started));
		new CountDownLatch(1).await();
	}

	private static io.zonky.test.db.postgres.embedded.EmbeddedPostgres start(int port, Path directory)
			throws IOException {
		Path home = PrivateDirectory.create(
				Path.of(System.getProperty("java.io.tmpdir"), "sluice-postgres-" + System.getProperty("user.name")));
		// The library makes these writable for everyone. Only the parent directory
		// protects them.
		Path programs = Files.createDirectories(home.resolve("programs"));
		Path passwordFile = passwordFile(directory);
		try (FileChannel channel = FileChannel.open(programs.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE); FileLock _ = channel.lock()) {
			deleteHalfUnpacked(programs);
			return io.zonky.test.db.postgres.embedded.EmbeddedPostgres.builder()
				.setPort(port)
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

	/**
	 * The superuser's password, next to the data, so that it can be opened again.
	 */
	private static Path passwordFile(Path directory) throws IOException {
		Path file = directory.resolveSibling(directory.getFileName() + ".password");
		if (!Files.exists(file) || Files.size(file) == 0) {
			Files.deleteIfExists(file);
			byte[] random = new byte[PASSWORD_BYTES];
			new SecureRandom().nextBytes(random);
			Files.createFile(file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
			Files.writeString(file, HexFormat.of().formatHex(random));
		}
		return file;
	}

	/**
	 * Deletes programs whose unpacking was interrupted. The library would fail on them at
	 * every start.
	 */
	private static void deleteHalfUnpacked(Path programs) throws IOException {
		try (DirectoryStream<Path> versions = Files.newDirectoryStream(programs, "PG-*")) {
			for (Path version : versions) {
				if (!Files.exists(version.resolve(".exists"))) {
					deleteTree(version);
				}
			}
		}
	}

	private static synchronized void close(
			CompletableFuture<io.zonky.test.db.postgres.embedded.EmbeddedPostgres> started) {
		try {
			// Two shutdown hooks call this if the server was ready. The second call waits
			// for the first, because the data is deleted after it.
			started.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS).close();
		}
		catch (ExecutionException _) {
			// Nothing to close. The log says why.
		}
		catch (InterruptedException | TimeoutException | IOException ex) {
			throw new IllegalStateException("PostgreSQL does not stop", ex);
		}
	}

}
