package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A server in a child JVM of ours: its main class gets the port, the data directory and,
 * if that is {@link #TEMPORARY}, this word. It calls {@link #serving} when it serves, and
 * stops on SIGTERM.
 */
final class EmbeddedProcess implements AutoCloseable {

	/** The word for a data directory that the child deletes, with its log, at its end. */
	private static final String TEMPORARY = "temporary";

	/** What the child prints when it serves. */
	private static final String READY = "sluice: the server is ready";

	private static final Duration START_TIMEOUT = Duration.ofSeconds(120);

	/** Data is thrown away or safe in a log: no reason to wait longer. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final String name;

	private final Class<?> mainClass;

	private final List<String> jvmArgs;

	private final @Nullable Path keptDirectory;

	private @Nullable Path directory;

	private @Nullable JavaProcess process;

	private boolean closed;

	/**
	 * Starts nothing.
	 * @param directory where {@code name} and {@code name.log} are kept; null for a
	 * temporary one
	 */
	EmbeddedProcess(String name, Class<?> mainClass, List<String> jvmArgs, @Nullable Path directory) {
		this.name = name;
		this.mainClass = mainClass;
		this.jvmArgs = jvmArgs;
		this.keptDirectory = directory;
	}

	/** Returns when it serves on the port. */
	void start(int port) {
		launch(port).awaitReady();
	}

	private synchronized JavaProcess launch(int port) {
		if (this.closed) {
			throw new StartFailedException("%s was stopped before it started".formatted(this.name));
		}
		Path base = this.keptDirectory;
		try {
			if (base == null) {
				base = Files.createTempDirectory("sluice-" + this.name + "-");
				this.directory = base;
			}
			Files.createDirectories(base);
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot write its data: %s".formatted(this.name, ex), ex);
		}
		JavaProcess launched = JavaProcess.mainClass(this.mainClass.getName())
			.name(this.name)
			.jvmArgs(this.jvmArgs)
			.jvmArgs("-Dlogback.configurationFile=dev-services-logback.xml")
			.args(Integer.toString(port), base.resolve(this.name).toString())
			.args((this.keptDirectory == null) ? new String[] { TEMPORARY } : new String[0])
			.logFile(base.resolve(this.name + ".log"))
			.readyWhenLogged(READY, START_TIMEOUT)
			.stopTimeout(STOP_TIMEOUT)
			.launch();
		this.process = launched;
		return launched;
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		if (this.process != null) {
			this.process.close();
			killPostmaster();
		}
		if (this.directory != null) {
			deleteTree(this.directory);
		}
	}

	/** PostgreSQL is no child of the child: had that to be killed, it is still there. */
	private void killPostmaster() {
		Path base = (this.keptDirectory != null) ? this.keptDirectory : this.directory;
		if (base == null) {
			return;
		}
		try (Stream<String> lines = Files.lines(base.resolve(this.name).resolve("postmaster.pid"))) {
			lines.findFirst()
				.flatMap((pid) -> ProcessHandle.of(Long.parseLong(pid.strip())))
				.ifPresent(ProcessHandle::destroyForcibly);
		}
		catch (NoSuchFileException _) {
			// The usual case: it has stopped.
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot find out whether PostgreSQL is still running", ex);
		}
	}

	/**
	 * In the child: says that it serves, and registers how it stops. A temporary
	 * directory goes then: nobody else deletes it if the parent was killed. Not before it
	 * serves: of a start that failed, the parent wants the log.
	 */
	static void serving(String[] args, Runnable stop) {
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			stop.run();
			if (List.of(args).contains(TEMPORARY)) {
				Path base = Path.of(args[1]).getParent();
				deleteTree(Objects.requireNonNull(base, args[1]));
			}
		}, "server-stop"));
		System.out.println(READY);
	}

	static void deleteTree(Path root) {
		try {
			Files.walkFileTree(root, new SimpleFileVisitor<>() {

				@Override
				public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
					Files.deleteIfExists(file);
					return FileVisitResult.CONTINUE;
				}

				@Override
				public FileVisitResult visitFileFailed(Path file, IOException ex) throws IOException {
					return postVisitDirectory(file, ex);
				}

				@Override
				public FileVisitResult postVisitDirectory(Path directory, @Nullable IOException ex) throws IOException {
					if (ex != null && !(ex instanceof NoSuchFileException)) {
						throw ex;
					}
					Files.deleteIfExists(directory);
					return FileVisitResult.CONTINUE;
				}

			});
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot delete " + root, ex);
		}
	}

}
