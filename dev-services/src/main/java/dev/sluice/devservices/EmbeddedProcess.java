package dev.sluice.devservices;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/**
 * A server in a child JVM, with its data and its log in a temporary directory. The
 * arguments of its main class are the port and the directory of the data. The main class
 * calls {@link #serving} when the server is ready. The server stops on SIGTERM.
 */
class EmbeddedProcess implements Server {

	/** What the child prints when the server is ready. */
	private static final String READY = "sluice: the server is ready";

	private static final Pattern PROCESS_ID = Pattern.compile("\\d{1,18}");

	/** The data is temporary: there is no reason to wait longer. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	/** How long the kernel may take to remove a killed process. */
	private static final Duration KILL_TIMEOUT = Duration.ofMinutes(1);

	private final String name;

	private final int wantedPort;

	/** 0 until it has been ready. */
	private volatile int port;

	private final Class<?> mainClass;

	private final List<String> jvmArgs;

	/** Null before the first start. Its permissions keep other users out. */
	private @Nullable Path directory;

	private @Nullable JavaProcess process;

	private boolean closed;

	/**
	 * Starts nothing.
	 * @param port 0 picks a free one
	 */
	EmbeddedProcess(String name, int port, Class<?> mainClass, List<String> jvmArgs) {
		this.name = name;
		this.wantedPort = port;
		this.mainClass = mainClass;
		this.jvmArgs = jvmArgs;
	}

	/**
	 * Starts the server, or starts it again with its data and the port from before.
	 * Returns when it is ready. If the first start fails, the next one begins anew.
	 */
	@Override
	public void start() {
		int again = (this.port != 0) ? this.port : this.wantedPort;
		Ports.requireFree(again, this.name);
		int chosen = (again != 0) ? again : Ports.free();
		JavaProcess launched = launch(chosen);
		try {
			launched.awaitReady();
		}
		catch (StartFailedException ex) {
			try {
				clearAfterFailure();
			}
			catch (RuntimeException clear) {
				ex.addSuppressed(clear);
			}
			throw ex;
		}
		// Only now: if the first start fails, the next one may choose another port.
		this.port = chosen;
	}

	@Override
	public String host() {
		return "127.0.0.1";
	}

	@Override
	public int port() {
		return this.port;
	}

	private synchronized void clearAfterFailure() {
		if (this.closed) {
			return;
		}
		killServer();
		if (this.port == 0) {
			deleteTree(data());
			this.process = null;
		}
	}

	private synchronized JavaProcess launch(int port) {
		if (this.closed) {
			throw new StartFailedException("%s was stopped before it started".formatted(this.name));
		}
		JavaProcess ended = this.process;
		if (ended != null) {
			return ended.relaunch();
		}
		try {
			if (this.directory == null) {
				this.directory = Files.createTempDirectory("sluice-" + this.name + "-");
			}
			Files.createDirectories(data());
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot write its data: %s".formatted(this.name, ex), ex);
		}
		JavaProcess launched = JavaCommand.mainClass(this.mainClass.getName())
			.name(this.name)
			.jvmArgs(this.jvmArgs)
			.jvmArgs("-Dlogback.configurationFile=dev-services-logback.xml", Patience.jvmArg())
			.args(Integer.toString(port), data().toString())
			.logFile(data().resolveSibling(this.name + ".log"))
			.readyWhenLogged(READY, DevServices.startTimeout())
			.stopTimeout(STOP_TIMEOUT)
			.launch();
		this.process = launched;
		return launched;
	}

	/** Kills the server, and the child, which has nothing left to do. */
	@Override
	public synchronized void kill() {
		killServer();
		running().kill();
	}

	@Override
	public synchronized void stop() {
		running().stop();
		killServer();
	}

	/** Freezes the child, and the server that it started. */
	@Override
	public synchronized void freeze() {
		running().freeze();
		server().forEach(Signal.STOP::send);
	}

	@Override
	public synchronized void unfreeze() {
		server().forEach(Signal.CONT::send);
		running().unfreeze();
	}

	private JavaProcess running() {
		return Objects.requireNonNull(this.process, () -> this.name + " is not started");
	}

	/** The directory of its data, from its first start on. */
	final Path data() {
		return Objects.requireNonNull(this.directory, () -> this.name + " is not started").resolve(this.name);
	}

	@Override
	public synchronized void close() {
		this.closed = true;
		try {
			if (this.process != null) {
				unfreeze();
				this.process.close();
				killServer();
			}
		}
		finally {
			if (this.directory != null) {
				deleteTree(this.directory);
			}
		}
	}

	/**
	 * Kills PostgreSQL, which survives if the child JVM is killed. PostgreSQL's own child
	 * processes are killed too. Otherwise they would hold its memory, and it could not
	 * start again.
	 */
	private void killServer() {
		List<ProcessHandle> processes = server().toList();
		processes.forEach(ProcessHandle::destroyForcibly);
		processes.forEach(this::awaitEnd);
	}

	private void awaitEnd(ProcessHandle left) {
		Duration timeout = Patience.of(KILL_TIMEOUT);
		if (!JavaProcess.awaitEnd(left.onExit(), timeout)) {
			throw new IllegalStateException("%s (process %s) is still there %s s after SIGKILL".formatted(this.name,
					left.pid(), timeout.toSeconds()));
		}
	}

	/** PostgreSQL's processes, beginning with the postmaster; none for Kafka. */
	private Stream<ProcessHandle> server() {
		try (Stream<String> lines = Files.lines(data().resolve("postmaster.pid"))) {
			return lines.findFirst()
				.map(String::strip)
				// The file is incomplete if PostgreSQL was killed while it wrote it.
				.filter((pid) -> PROCESS_ID.matcher(pid).matches())
				.flatMap((pid) -> ProcessHandle.of(Long.parseLong(pid)))
				// The file outlives a kill, and another process may have the id now.
				.filter((process) -> process.info().command().orElse("").endsWith("/postgres"))
				.stream()
				.flatMap((postmaster) -> Stream.concat(Stream.of(postmaster), postmaster.children().toList().stream()));
		}
		catch (NoSuchFileException _) {
			// It has stopped, or it is Kafka.
			return Stream.empty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot find out whether PostgreSQL is still running", ex);
		}
	}

	/**
	 * Called in the child when the server is ready. Reports this to the parent and
	 * registers a shutdown hook that stops the server. If the parent was killed, the hook
	 * also deletes the temporary directory, because nobody else does. Registered only
	 * now, because the parent reads the log of a start that fails.
	 */
	static void serving(String[] args, Runnable stop) {
		Optional<ProcessHandle> parent = ProcessHandle.current().parent();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			stop.run();
			// The system gives an orphan another parent.
			if (!ProcessHandle.current().parent().equals(parent)) {
				deleteTree(Objects.requireNonNull(Path.of(args[1]).getParent(), args[1]));
			}
		}, "server-stop"));
		System.out.println(READY);
	}

	static void deleteTree(Path root) {
		try {
			Utils.delete(root.toFile());
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot delete " + root, ex);
		}
	}

}
