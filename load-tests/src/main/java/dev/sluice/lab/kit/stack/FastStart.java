package dev.sluice.lab.kit.stack;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

import dev.sluice.devservices.JavaCommand;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.StartFailedException;

/**
 * A service's jar prepared for a fast start: unpacked, with the JVM's cache of the
 * classes that a start loads and links (JEP 483). A start then costs 2 to 3 s of CPU
 * instead of 8 or 9, which is most of what it takes to start five services on two cores.
 * <p>
 * It is made once after each build, by a start that ends as soon as the application is
 * wired, and lies next to the jar. A service without one starts from its jar.
 *
 * @param jar the unpacked jar, which is started instead
 * @param cache the JVM's AOT cache
 */
record FastStart(Path jar, Path cache) {

	/** Longest time for one module; a slow machine takes 20 s. */
	private static final Duration TIMEOUT = Duration.ofSeconds(180);

	/**
	 * With profiles of the first start, methods stay at tier 2 while few cores are busy
	 * (JDK-8386852).
	 */
	private static final String WITHOUT_PROFILES = "-XX:-AOTRecordTraining";

	/** A file lock only excludes other processes; these exclude other threads. */
	private static final Map<Path, Object> MONITORS = new ConcurrentHashMap<>();

	/**
	 * An address without a server, so that the start that makes the cache reaches nothing
	 * of the user's.
	 */
	private static final String UNREACHABLE = "127.0.0.1:1";

	/** Options of a JVM that starts {@link #jar()}. */
	List<String> jvmArgs() {
		return List.of("-XX:AOTCache=" + this.cache);
	}

	/**
	 * The one that belongs to a jar; empty if there is none, or one of an older build.
	 */
	static Optional<FastStart> find(Path jar) {
		FastStart start = of(jar);
		try {
			boolean current = Files.exists(start.cache())
					&& Files.getLastModifiedTime(start.cache()).compareTo(Files.getLastModifiedTime(jar)) >= 0;
			return current ? Optional.of(start) : Optional.empty();
		}
		catch (IOException _) {
			return Optional.empty();
		}
	}

	private static FastStart of(Path jar) {
		return of(jar, JavaProcess.inheritedOptions());
	}

	/** A cache of another JVM, or of a JVM with other options, does not count. */
	static FastStart of(Path jar, String inheritedOptions) {
		String options = inheritedOptions.isEmpty() ? "" : "-" + Integer.toHexString(inheritedOptions.hashCode());
		Path directory = jar.resolveSibling("fast-start-" + Runtime.version() + options);
		return new FastStart(directory.resolve(jar.getFileName()), directory.resolve("classes.aot"));
	}

	/**
	 * Makes what these jars lack. Without it they start from the jar, so a failure is
	 * only reported.
	 * @param progress receives a message if there is something to do
	 * @throws LabException if this thread is interrupted
	 */
	static void makeMissing(List<Path> jars, Consumer<String> progress) {
		List<Path> missing = jars.stream().filter((jar) -> find(jar).isEmpty()).toList();
		if (missing.isEmpty()) {
			return;
		}
		progress.accept("Preparing a fast start, once after each build");
		Stack.inParallel(missing.stream()
			.<Callable<?>>map((jar) -> Executors.callable(() -> tryToMake(jar, progress)))
			.toList());
	}

	/** One that fails must not end the others, which take as long again the next time. */
	private static void tryToMake(Path jar, Consumer<String> progress) {
		try {
			make(jar);
		}
		catch (LabException | StartFailedException ex) {
			if (Thread.currentThread().isInterrupted()) {
				throw ex;
			}
			progress.accept("%s starts slower than it could: %s".formatted(jar.getFileName(), ex.getMessage()));
		}
	}

	/**
	 * Makes it, unless another process or thread just has.
	 * @throws LabException if it cannot be made
	 */
	static void make(Path jar) {
		FastStart start = of(jar);
		Path directory = start.cache().resolveSibling("");
		try {
			Files.createDirectories(directory);
			synchronized (MONITORS.computeIfAbsent(directory, (_) -> new Object())) {
				try (FileChannel channel = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE,
						StandardOpenOption.WRITE); FileLock _ = channel.lock()) {
					if (find(jar).isEmpty()) {
						unpack(jar, directory);
						train(start, directory);
					}
				}
			}
		}
		catch (IOException ex) {
			throw new LabException("cannot write to %s: %s".formatted(directory, ex), ex);
		}
	}

	private static void unpack(Path jar, Path directory) {
		await(JavaCommand.jar(jar)
			.name("unpacking " + jar.getFileName())
			.jvmArgs("-Djarmode=tools")
			.args("extract", "--force", "--destination", directory.toString())
			.logFile(directory.resolve("unpack.log"))
			.launch());
	}

	private static void train(FastStart start, Path directory) throws IOException {
		Path unfinished = directory.resolve("classes.unfinished");
		await(JavaCommand.jar(start.jar())
			.name("first start of " + start.jar().getFileName())
			.jvmArgs(StackOptions.JVM_ARGS)
			.jvmArgs("-XX:+UnlockDiagnosticVMOptions", WITHOUT_PROFILES, "-XX:AOTCacheOutput=" + unfinished,
					"-Dspring.context.exit=onRefresh")
			.properties(Map.of("server.port", 0, "spring.grpc.server.port", 0, "spring.kafka.bootstrap-servers",
					UNREACHABLE, "spring.datasource.url", "jdbc:postgresql://" + UNREACHABLE + "/sluice",
					"spring.r2dbc.url", "r2dbc:postgresql://" + UNREACHABLE + "/sluice", "backend.url",
					"http://" + UNREACHABLE))
			.logFile(directory.resolve("first-start.log"))
			.launch());
		if (!Files.exists(unfinished)) {
			throw new LabException(
					"the first start made no cache, see %s".formatted(directory.resolve("first-start.log")));
		}
		Files.move(unfinished, start.cache(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
	}

	private static void await(JavaProcess process) {
		Duration timeout = Patience.of(TIMEOUT);
		try (process) {
			process.handle().onExit().get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (TimeoutException _) {
			throw failed(process, "did not end within %s s".formatted(timeout.toSeconds()));
		}
		catch (ExecutionException ex) {
			throw new IllegalStateException("The end of %s cannot be awaited".formatted(process), ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LabException("interrupted", ex);
		}
	}

	private static LabException failed(JavaProcess process, String what) {
		return new LabException(
				"%s %s; its log %s ends with:%n%s".formatted(process.name(), what, process.logFile(), process.tail()));
	}

}
