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
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.apache.kafka.common.utils.Utils;

/**
 * A server in a child JVM, with its data and its log in a temporary directory. The first
 * arguments of its main class are the port and the directory of the data. It calls
 * {@link #stopping}, and {@link #ready} when the server is. It stops on SIGTERM.
 */
final class EmbeddedProcess implements Breakable {

	/** What the child prints when the server is ready. */
	private static final String READY = "sluice: the server is ready";

	private static final Pattern PROCESS_ID = Pattern.compile("\\d{1,18}");

	/** The data is temporary: there is no reason to wait longer. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(10);

	private final int port;

	/** Its permissions keep other users out. */
	private final Path directory;

	private final JavaProcess process;

	private final BooleanSupplier inSync;

	/**
	 * Starts nothing.
	 * @param inSync what else must hold before it is ready
	 * @param args further arguments
	 */
	EmbeddedProcess(String name, int port, Class<?> mainClass, List<String> jvmArgs, BooleanSupplier inSync,
			String... args) {
		this.port = port;
		this.inSync = inSync;
		try {
			this.directory = Files.createTempDirectory("sluice-%s-".formatted(name));
			Files.createDirectory(data());
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot write its data: %s".formatted(name, ex), ex);
		}
		this.process = JavaProcess.mainClass(mainClass.getName())
			.name(name)
			.jvmArgs(jvmArgs)
			.jvmArgs("-Dlogback.configurationFile=dev-services-logback.xml", Patience.jvmArg())
			.args(Integer.toString(port), data().toString())
			.args(args)
			.logFile(this.directory.resolve("log"))
			.readyWhen(this::isReady, DevServices.startTimeout())
			.stopTimeout(STOP_TIMEOUT);
	}

	@Override
	public void start() {
		Ports.requireFree(this.port, this.process.name());
		try {
			this.process.start();
		}
		catch (StartFailedException ex) {
			killServer();
			throw ex;
		}
	}

	private boolean isReady() {
		return this.process.hasLogged(READY) && this.inSync.getAsBoolean();
	}

	@Override
	public List<Long> processes() {
		return Ports.holder(this.port).map(ProcessHandle::pid).stream().toList();
	}

	/** Kills the server, and the child, which has nothing left to do. */
	@Override
	public synchronized void kill() {
		killServer();
		this.process.kill();
	}

	@Override
	public synchronized void stop() {
		this.process.stop();
		killServer();
	}

	/** Freezes the child, and the server that it started. */
	@Override
	public synchronized void freeze() {
		this.process.freeze();
		server().forEach(Signals::freeze);
	}

	@Override
	public void unfreeze() {
		synchronized (this) {
			server().forEach(Signals::unfreeze);
			this.process.unfreeze();
		}
		this.process.awaitReady();
	}

	/** The directory of its data. */
	Path data() {
		return this.directory.resolve("data");
	}

	@Override
	public synchronized void close() {
		try {
			server().forEach(Signals::unfreeze);
			this.process.close();
			killServer();
		}
		finally {
			deleteTree(this.directory);
		}
	}

	/**
	 * Kills PostgreSQL, which survives if the child JVM is killed. PostgreSQL's own child
	 * processes are killed too. Otherwise they would hold its memory, and it could not
	 * start again.
	 */
	private void killServer() {
		server().toList().forEach((process) -> JavaProcess.kill(process, process.onExit(), this.process.name()));
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
	 * Called in the child. Registers a shutdown hook that stops the server. If the parent
	 * was killed, the hook also deletes the directory, because nobody else does.
	 */
	static void stopping(String[] args, Runnable stop) {
		Optional<ProcessHandle> parent = ProcessHandle.current().parent();
		Runtime.getRuntime().addShutdownHook(new Thread(() -> {
			stop.run();
			// The system gives an orphan another parent.
			if (!ProcessHandle.current().parent().equals(parent)) {
				deleteTree(Objects.requireNonNull(Path.of(args[1]).getParent(), args[1]));
			}
		}, "server-stop"));
	}

	/** Called in the child. Tells the parent that the server is ready. */
	static void ready() {
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
