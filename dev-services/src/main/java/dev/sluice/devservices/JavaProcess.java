package dev.sluice.devservices;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.net.URI;
import java.net.URLConnection;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A child JVM: a service's jar, or a main class of this JVM's class path. It is described
 * first and then launched; when it has ended, it can be launched again. Its output goes
 * to a log file.
 * <p>
 * The caller that launches it must close it. If this JVM ends before that, even by
 * {@code kill -9}, the child gets SIGTERM, and SIGKILL after 40 s (see {@link Signals}).
 * Ctrl-C in a terminal does not reach the child: this JVM decides the order in which its
 * children stop. Requires a POSIX shell. Thread-safe, once it is launched.
 */
public final class JavaProcess implements Breakable {

	/** How long the kernel may take to remove a killed process. */
	private static final Duration KILL_TIMEOUT = Duration.ofMinutes(1);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	private static final int HEALTH_TIMEOUT_MILLIS = 2_000;

	private static final int TAIL_LINES = 20;

	private static final long TAIL_BYTES = 16_384;

	private final List<String> program;

	private final List<String> jvmArgs = new ArrayList<>();

	private final List<String> args = new ArrayList<>();

	private String name;

	private @Nullable Path logFile;

	private BooleanSupplier readiness = () -> true;

	private Duration readyTimeout = Duration.ZERO;

	/** Must be free before a start; 0 for none. */
	private int port;

	private Duration stopTimeout = Duration.ofSeconds(30);

	/** Of the newest start; null before the first. */
	private volatile @Nullable Process process;

	/** Where this start's part of the log begins. */
	private volatile long logStart;

	private boolean closed;

	private JavaProcess(String name, List<String> program) {
		this.name = name;
		this.program = program;
	}

	/** An executable jar. */
	public static JavaProcess jar(Path jar) {
		Path file = jar.toAbsolutePath().normalize();
		if (!Files.isRegularFile(file)) {
			throw new StartFailedException(
					"%s is missing: build it with 'mvn -q -B package -DskipTests'".formatted(file));
		}
		return new JavaProcess(file.getFileName().toString().replaceFirst("\\.jar$", ""),
				List.of("-jar", file.toString()));
	}

	/** A class with a main method, on the class path of this JVM. */
	public static JavaProcess mainClass(String className) {
		return new JavaProcess(className.substring(className.lastIndexOf('.') + 1),
				List.of("-cp", System.getProperty("java.class.path"), className));
	}

	/** Sets the name used in messages. Default: the name of the jar or the class. */
	public JavaProcess name(String value) {
		this.name = value;
		return this;
	}

	/** Adds JVM options, such as {@code -Xmx256m}. */
	public JavaProcess jvmArgs(String... values) {
		return jvmArgs(List.of(values));
	}

	/** Adds JVM options. */
	public JavaProcess jvmArgs(List<String> values) {
		this.jvmArgs.addAll(values);
		return this;
	}

	/** Adds arguments of the program. */
	public JavaProcess args(String... values) {
		this.args.addAll(List.of(values));
		return this;
	}

	/** Adds the argument {@code --key=value}, a Spring property. */
	public JavaProcess property(String key, Object value) {
		return args("--%s=%s".formatted(key, value));
	}

	/** Sets the file for its output, which it must have. An existing file is replaced. */
	public JavaProcess logFile(Path value) {
		this.logFile = value.toAbsolutePath();
		return this;
	}

	/**
	 * It is ready when this URL answers without an error. The URL's port must be free
	 * before the start, so that no other process can answer in its place.
	 */
	public JavaProcess readyWhen(URI healthUrl, Duration timeout) {
		this.port = Math.max(0, healthUrl.getPort());
		return readyWhen(() -> isHealthy(healthUrl), timeout);
	}

	/** It is ready when it has logged this text, whatever it logs afterwards. */
	public JavaProcess readyWhenLogged(String text, Duration timeout) {
		return readyWhen(() -> hasLogged(text), timeout);
	}

	JavaProcess readyWhen(BooleanSupplier condition, Duration timeout) {
		this.readiness = condition;
		this.readyTimeout = timeout;
		return this;
	}

	/**
	 * Sets how long {@link #close} waits between SIGTERM and SIGKILL. Default 30 s.
	 */
	public JavaProcess stopTimeout(Duration value) {
		this.stopTimeout = value;
		return this;
	}

	/**
	 * Starts it, for the first time or again, and does not wait. It appends to the log of
	 * the start before.
	 * @return this
	 * @throws IllegalStateException if it still runs
	 * @throws StartFailedException if it is closed, its port is taken or it cannot be
	 * executed
	 */
	public synchronized JavaProcess launch() {
		if (this.closed) {
			throw new StartFailedException("%s is not started: it is closed".formatted(this.name));
		}
		boolean again = this.process != null;
		if (again && isAlive()) {
			throw new IllegalStateException("%s still runs".formatted(this));
		}
		Ports.requireFree(this.port, this.name);
		File log = logFile().toFile();
		try {
			Files.createDirectories(logFile().getParent());
			this.logStart = again ? log.length() : 0;
			Process started = new ProcessBuilder(words()).redirectInput(new File("/dev/null"))
				.redirectErrorStream(true)
				.redirectOutput(again ? Redirect.appendTo(log) : Redirect.to(log))
				.start();
			Signals.endWithThisJvm(started);
			this.process = started;
			return this;
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot be started: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/** The shell ignores Ctrl-C and then executes the JVM: one process with one id. */
	List<String> words() {
		return Stream
			.of(List.of("sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh"),
					List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()), this.jvmArgs,
					this.program, this.args)
			.flatMap(List::stream)
			.toList();
	}

	/**
	 * The JVM options that each child inherits from the environment, as
	 * {@code NAME=value} separated by spaces. Empty if none is set.
	 */
	public static String inheritedOptions() {
		return inheritedOptions(System.getenv());
	}

	static String inheritedOptions(Map<String, String> environment) {
		return Stream.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS")
			.filter((name) -> !environment.getOrDefault(name, "").isBlank())
			.map((name) -> name + "=" + environment.get(name))
			.collect(Collectors.joining(" "));
	}

	/**
	 * Waits until it is ready. Returns immediately if it has no condition for that.
	 * @return this
	 * @throws StartFailedException if it is not ready in time, ends before that, or this
	 * thread is interrupted (the flag stays set). The process is gone then. The message
	 * ends with the last lines of its log.
	 */
	public JavaProcess awaitReady() {
		Process started = process();
		long deadline = System.nanoTime() + this.readyTimeout.toNanos();
		try {
			while (!this.readiness.getAsBoolean()) {
				if (started.waitFor(POLL_INTERVAL)) {
					throw failed("ended with exit code %s before it was ready".formatted(started.exitValue()));
				}
				if (System.nanoTime() > deadline) {
					throw failed("was not ready after %s s".formatted(this.readyTimeout.toSeconds()));
				}
			}
			return this;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failed("was interrupted while it started");
		}
	}

	private StartFailedException failed(String what) {
		kill();
		return new StartFailedException(
				"%s %s; its log %s ends with:%n%s".formatted(this.name, what, logFile(), tail()));
	}

	/** As {@link #launch} and {@link #awaitReady}. */
	@Override
	public void start() {
		launch().awaitReady();
	}

	@Override
	public void freeze() {
		Signals.freeze(handle());
	}

	@Override
	public void unfreeze() {
		Signals.unfreeze(handle());
	}

	/** The last lines that it has logged since its last start. */
	public String tail() {
		List<String> lines = logged(Math.max(this.logStart, logFile().toFile().length() - TAIL_BYTES)).lines().toList();
		return String.join(System.lineSeparator(), lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
	}

	/** Its log from a byte on. Not with a channel, which an interrupt would close. */
	private String logged(long from) {
		try (InputStream log = new FileInputStream(logFile().toFile())) {
			log.skipNBytes(from);
			return new String(log.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			return "(%s)".formatted(ex);
		}
	}

	/** Whether it has logged a text since its last start. */
	boolean hasLogged(String text) {
		return logged(this.logStart).contains(text);
	}

	public String name() {
		return this.name;
	}

	public long pid() {
		return process().pid();
	}

	@Override
	public List<Long> processes() {
		return isAlive() ? List.of(pid()) : List.of();
	}

	public boolean isAlive() {
		return process().isAlive();
	}

	public ProcessHandle handle() {
		return process().toHandle();
	}

	private Process process() {
		return Objects.requireNonNull(this.process, () -> this.name + " is not started");
	}

	public Path logFile() {
		return Objects.requireNonNull(this.logFile, "logFile");
	}

	/**
	 * Sends SIGTERM and does not wait. Unfreezes it if it is frozen, so that it can stop.
	 */
	public void terminate() {
		process().destroy();
		unfreeze();
	}

	@Override
	public void kill() {
		Process killed = process();
		kill(killed.toHandle(), killed.onExit(), this.name);
	}

	/** Kills a process and waits for its end. */
	static void kill(ProcessHandle process, CompletableFuture<?> exit, String name) {
		process.destroyForcibly();
		Duration timeout = Patience.of(KILL_TIMEOUT);
		if (!awaitEnd(exit, timeout)) {
			throw new IllegalStateException("%s (process %s) is still there %s s after SIGKILL".formatted(name,
					process.pid(), timeout.toSeconds()));
		}
	}

	/**
	 * Stops it with SIGTERM, or with SIGKILL if it does not end in time. An interrupt
	 * does not shorten the wait; the flag stays set.
	 */
	@Override
	public void stop() {
		terminate();
		if (!awaitEnd(process().onExit(), this.stopTimeout)) {
			kill();
		}
	}

	/** Stops it for good. */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		if (this.process != null) {
			stop();
		}
	}

	private static boolean isHealthy(URI url) {
		try {
			URLConnection connection = url.toURL().openConnection();
			connection.setConnectTimeout(HEALTH_TIMEOUT_MILLIS);
			connection.setReadTimeout(HEALTH_TIMEOUT_MILLIS);
			// Fails if the status is an error.
			connection.getInputStream().close();
			return true;
		}
		catch (IOException _) {
			return false;
		}
	}

	/**
	 * Waits for the end of a process, however often this thread is interrupted.
	 * @return whether it has ended
	 */
	static boolean awaitEnd(CompletableFuture<?> exit, Duration timeout) {
		return exit.thenApply((_) -> true).completeOnTimeout(false, timeout.toNanos(), TimeUnit.NANOSECONDS).join();
	}

	@Override
	public String toString() {
		return "%s (process %s)".formatted(name(), pid());
	}

}
