package dev.sluice.devservices;

import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A child JVM: a service's jar, or a main class of this JVM's class path. Its output goes
 * to a log file. It can be started again after it has ended, with the same command.
 * <p>
 * The caller that starts it must close it. If this JVM ends before that, even by
 * {@code kill -9}, the child gets SIGTERM, and SIGKILL after 40 s (see {@link Reaper}).
 * Ctrl-C in a terminal does not reach the child: this JVM decides the order in which its
 * children stop. Requires a POSIX shell. Thread-safe.
 */
public final class JavaProcess implements Breakable, AutoCloseable {

	/** How long the kernel may take to remove a killed process. */
	private static final Duration KILL_TIMEOUT = Duration.ofMinutes(1);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	private static final Redirect NO_INPUT = Redirect.from(new File("/dev/null"));

	private static final int TAIL_LINES = 20;

	private static final long TAIL_BYTES = 16_384;

	private final JavaCommand command;

	private final Path logFile;

	/** Replaced when it is started again, unless it is closed. */
	private volatile Process process;

	/** Where this start's part of the log begins. */
	private volatile long logStart;

	private boolean closed;

	JavaProcess(JavaCommand command, Path logFile) {
		this.command = command;
		this.logFile = logFile;
		this.process = execute(Redirect.to(logFile.toFile()));
	}

	private Process execute(Redirect output) {
		Ports.requireFree(this.command.port, name());
		try {
			Process started = new ProcessBuilder(this.command.words()).redirectInput(NO_INPUT)
				.redirectErrorStream(true)
				.redirectOutput(output)
				.start();
			Reaper.watch(started);
			return started;
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot be started: %s".formatted(name(), ex.getMessage()), ex);
		}
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
	 * Waits until it is ready. Returns immediately if the command has no condition for
	 * that.
	 * @return this
	 * @throws StartFailedException if it is not ready in time, ends before that, or this
	 * thread is interrupted (the flag stays set). The process is gone then. The message
	 * ends with the last lines of its log.
	 */
	public JavaProcess awaitReady() {
		Process started = this.process;
		long deadline = System.nanoTime() + this.command.readyTimeout.toNanos();
		try {
			while (!this.command.readiness.test(this)) {
				if (started.waitFor(POLL_INTERVAL)) {
					throw failed("ended with exit code %s before it was ready".formatted(started.exitValue()));
				}
				if (System.nanoTime() > deadline) {
					throw failed("was not ready after %s s".formatted(this.command.readyTimeout.toSeconds()));
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
		return new StartFailedException("%s %s; its log %s ends with:%n%s".formatted(name(), what, logFile(), tail()));
	}

	/**
	 * Starts it again with the same command, and appends to its log. Does not wait.
	 * @return this
	 * @throws IllegalStateException if it still runs
	 * @throws StartFailedException if it is closed, its port is taken or it cannot be
	 * executed
	 */
	public synchronized JavaProcess relaunch() {
		if (this.closed) {
			throw new StartFailedException("%s is not started again: it is closed".formatted(name()));
		}
		if (isAlive()) {
			throw new IllegalStateException("%s still runs".formatted(this));
		}
		this.logStart = logFile().toFile().length();
		this.process = execute(Redirect.appendTo(logFile().toFile()));
		return this;
	}

	/** As {@link #relaunch} and {@link #awaitReady}. */
	@Override
	public void start() {
		relaunch().awaitReady();
	}

	@Override
	public void freeze() {
		Signal.STOP.send(handle());
	}

	@Override
	public void unfreeze() {
		Signal.CONT.send(handle());
	}

	/** The last lines that it has logged since its last start. */
	public String tail() {
		try {
			List<String> lines = logged(Math.max(this.logStart, logFile().toFile().length() - TAIL_BYTES)).lines()
				.toList();
			return String.join(System.lineSeparator(),
					lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
		}
		catch (IOException ex) {
			return "(%s)".formatted(ex);
		}
	}

	/** Its log from a byte on. Not with a channel, which an interrupt would close. */
	private String logged(long from) throws IOException {
		try (InputStream log = new FileInputStream(logFile().toFile())) {
			log.skipNBytes(from);
			return new String(log.readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	/** Whether it has logged a text since its last start. */
	boolean hasLogged(String text) {
		try {
			return logged(this.logStart).contains(text);
		}
		catch (IOException ex) {
			throw failed("has a log that cannot be read (%s)".formatted(ex));
		}
	}

	public String name() {
		return this.command.name;
	}

	public long pid() {
		return this.process.pid();
	}

	public boolean isAlive() {
		return this.process.isAlive();
	}

	public ProcessHandle handle() {
		return this.process.toHandle();
	}

	public Path logFile() {
		return this.logFile;
	}

	/**
	 * Sends SIGTERM and does not wait. Unfreezes it if it is frozen, so that it can stop.
	 */
	public void terminate() {
		this.process.destroy();
		unfreeze();
	}

	@Override
	public void kill() {
		Process killed = this.process;
		killed.destroyForcibly();
		Duration timeout = Patience.of(KILL_TIMEOUT);
		if (!awaitEnd(killed.onExit(), timeout)) {
			throw new IllegalStateException(
					"%s is still there %s s after SIGKILL".formatted(this, timeout.toSeconds()));
		}
	}

	/**
	 * Stops it with SIGTERM, or with SIGKILL if it does not end in time. An interrupt
	 * does not shorten the wait; the flag stays set.
	 */
	@Override
	public void stop() {
		terminate();
		if (!awaitEnd(this.process.onExit(), this.command.stopTimeout)) {
			kill();
		}
	}

	/** Stops it for good. */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		stop();
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
