package dev.sluice.devservices;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A child JVM: a service's jar, or a main class of this JVM's class path. Its output goes
 * to a log file.
 * <p>
 * The caller that starts it must close it. If this JVM ends before that, even by
 * {@code kill -9}, the child gets SIGTERM, and SIGKILL after 40 s (see {@link Reaper}).
 * Ctrl-C in a terminal does not reach the child: this JVM decides the order in which its
 * children stop. Requires a POSIX shell. Thread-safe.
 */
public final class JavaProcess implements AutoCloseable {

	/** The default time that a child may take to stop after SIGTERM. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

	/** How long the kernel may take to remove a killed process. */
	private static final Duration KILL_TIMEOUT = Duration.ofMinutes(1);

	private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

	private static final int HEALTH_TIMEOUT_MILLIS = 2_000;

	private static final Redirect NO_INPUT = Redirect.from(new File("/dev/null"));

	private static final int TAIL_LINES = 20;

	private static final long TAIL_BYTES = 16_384;

	private static final int SEARCH_BYTES = 65_536;

	private final String name;

	private final Process process;

	private final Path logFile;

	private final Readiness readiness;

	private final Duration stopTimeout;

	private final List<String> command;

	private final Map<String, String> environment;

	/** Where this process's part of the log begins. Earlier processes wrote the rest. */
	private final long logStart;

	/** Up to where the log was searched for the text that says it is ready. */
	private long searchedTo;

	private JavaProcess(Builder builder, List<String> command, Path logFile) throws IOException {
		this.name = builder.name;
		this.readiness = builder.readiness;
		this.stopTimeout = builder.stopTimeout;
		this.command = List.copyOf(command);
		this.environment = Map.copyOf(builder.environment);
		this.logFile = logFile;
		this.logStart = 0;
		this.process = execute(Redirect.to(logFile.toFile()));
	}

	private JavaProcess(JavaProcess ended) throws IOException {
		this.name = ended.name;
		this.readiness = ended.readiness;
		this.stopTimeout = ended.stopTimeout;
		this.command = ended.command;
		this.environment = ended.environment;
		this.logFile = ended.logFile;
		this.logStart = Files.exists(this.logFile) ? Files.size(this.logFile) : 0;
		this.searchedTo = this.logStart;
		this.process = execute(Redirect.appendTo(this.logFile.toFile()));
	}

	private Process execute(Redirect output) throws IOException {
		ProcessBuilder builder = new ProcessBuilder(this.command).redirectInput(NO_INPUT)
			.redirectErrorStream(true)
			.redirectOutput(output);
		builder.environment().putAll(this.environment);
		Process started = builder.start();
		Reaper.watch(started);
		return started;
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

	/** An executable jar. */
	public static Builder jar(Path jar) {
		Path file = jar.toAbsolutePath().normalize();
		if (!Files.isRegularFile(file)) {
			throw new StartFailedException(
					"%s is missing: build it with 'mvn -q -B package -DskipTests'".formatted(file));
		}
		String fileName = jar.getFileName().toString();
		return new Builder(fileName.endsWith(".jar") ? fileName.substring(0, fileName.length() - 4) : fileName,
				List.of("-jar", file.toString()));
	}

	/**
	 * A class with a main method, on the class path of this JVM, which may be Spring
	 * Boot's executable jar.
	 */
	public static Builder mainClass(String className) {
		String classPath = System.getProperty("java.class.path");
		String simpleName = className.substring(className.lastIndexOf('.') + 1);
		return new Builder(simpleName,
				isBootJar(classPath)
						? List.of("-Dloader.main=" + className, "-cp", classPath,
								"org.springframework.boot.loader.launch.PropertiesLauncher")
						: List.of("-cp", classPath, className));
	}

	private static boolean isBootJar(String classPath) {
		if (classPath.contains(File.pathSeparator) || !Files.isRegularFile(Path.of(classPath))) {
			return false;
		}
		try (JarFile jar = new JarFile(classPath)) {
			return jar.getManifest() != null
					&& jar.getManifest().getMainAttributes().containsKey(new Attributes.Name("Spring-Boot-Classes"));
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot read the class path " + classPath, ex);
		}
	}

	/**
	 * Waits until it is ready. Returns immediately if the builder has no condition for
	 * that.
	 * @return this
	 * @throws StartFailedException if it is not ready in time, ends before that, or this
	 * thread is interrupted (the flag stays set). The process is gone then. The message
	 * ends with the last lines of its log.
	 */
	public JavaProcess awaitReady() {
		long deadline = System.nanoTime() + this.readiness.timeout().toNanos();
		try {
			while (!this.readiness.isReady(this)) {
				if (this.process.waitFor(POLL_INTERVAL)) {
					throw failed("ended with exit code %d before it was ready".formatted(this.process.exitValue()));
				}
				if (System.nanoTime() > deadline) {
					throw failed("was not ready after %d s".formatted(this.readiness.timeout().toSeconds()));
				}
			}
			return this;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw failed("was interrupted while it started");
		}
		catch (StartFailedException ex) {
			kill();
			throw ex;
		}
	}

	private StartFailedException failed(String what) {
		kill();
		return new StartFailedException(
				"%s %s; its log %s ends with:%n%s".formatted(this.name, what, this.logFile, tail()));
	}

	/**
	 * Starts it again with the same command, and appends to its log. Does not wait.
	 * @return the new process, for the caller to close
	 * @throws IllegalStateException if this one still runs
	 * @throws StartFailedException if its port is taken or it cannot be executed
	 */
	public JavaProcess relaunch() {
		if (isAlive()) {
			throw new IllegalStateException("%s still runs".formatted(this));
		}
		this.readiness.requireFreePort(this.name);
		try {
			return new JavaProcess(this);
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot be started again: %s".formatted(this.name, ex.getMessage()), ex);
		}
	}

	/** Suspends it with SIGSTOP. */
	public void freeze() {
		Signal.STOP.send(this.process.toHandle());
	}

	/** Resumes it with SIGCONT. Does nothing if it runs or has ended. */
	public void unfreeze() {
		Signal.CONT.send(this.process.toHandle());
	}

	/**
	 * Whether this process's part of the log contains a text. Each call reads what was
	 * logged since the previous call.
	 */
	private synchronized boolean hasLogged(String text) {
		byte[] wanted = text.getBytes(StandardCharsets.UTF_8);
		try (RandomAccessFile log = new RandomAccessFile(this.logFile.toFile(), "r")) {
			long end = log.length();
			byte[] part = new byte[SEARCH_BYTES];
			while (end - this.searchedTo >= wanted.length) {
				log.seek(this.searchedTo);
				int length = (int) Math.min(part.length, end - this.searchedTo);
				log.readFully(part, 0, length);
				// Maps each byte to one character, so that no character is cut.
				if (new String(part, 0, length, StandardCharsets.ISO_8859_1)
					.contains(new String(wanted, StandardCharsets.ISO_8859_1))) {
					return true;
				}
				// This part may end with the beginning of the text.
				this.searchedTo += length - wanted.length + 1;
			}
			return false;
		}
		catch (IOException ex) {
			throw new StartFailedException("%s: its log cannot be read: %s".formatted(this.name, ex), ex);
		}
	}

	/** The last lines of its log. */
	public String tail() {
		try (var log = Files.newByteChannel(this.logFile)) {
			log.position(Math.max(this.logStart, log.size() - TAIL_BYTES));
			byte[] end = java.nio.channels.Channels.newInputStream(log).readAllBytes();
			List<String> lines = new String(end, StandardCharsets.UTF_8).lines().toList();
			return String.join(System.lineSeparator(),
					lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size()));
		}
		catch (IOException ex) {
			return "(%s)".formatted(ex);
		}
	}

	public String name() {
		return this.name;
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

	/** Sends SIGKILL and waits until it is gone. */
	public void kill() {
		this.process.destroyForcibly();
		if (!awaitEnd(Patience.of(KILL_TIMEOUT))) {
			throw new IllegalStateException("%s (process %d) is still there %d s after SIGKILL".formatted(this.name,
					pid(), Patience.of(KILL_TIMEOUT).toSeconds()));
		}
	}

	/**
	 * Stops it with SIGTERM, or with SIGKILL if it does not end in time. It is gone when
	 * this method returns. An interrupt does not shorten the wait; the flag stays set.
	 */
	@Override
	public void close() {
		terminate();
		if (!awaitEnd(this.stopTimeout)) {
			kill();
		}
	}

	private boolean awaitEnd(Duration timeout) {
		boolean interrupted = false;
		long deadline = System.nanoTime() + timeout.toNanos();
		try {
			while (true) {
				try {
					return this.process.waitFor(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
				}
				catch (InterruptedException _) {
					interrupted = true;
				}
			}
		}
		finally {
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}
	}

	@Override
	public String toString() {
		return "%s (process %d)".formatted(this.name, pid());
	}

	/** How a process shows that it is ready. */
	private sealed interface Readiness {

		/** How long it may take. */
		Duration timeout();

		boolean isReady(JavaProcess process);

		/**
		 * Fails if another process would answer in its place.
		 * @throws StartFailedException if its port is taken
		 */
		default void requireFreePort(String name) {
		}

	}

	private record AtOnce() implements Readiness {

		@Override
		public Duration timeout() {
			return Duration.ZERO;
		}

		@Override
		public boolean isReady(JavaProcess process) {
			return true;
		}

	}

	private record Healthy(URI url, Duration timeout) implements Readiness {

		@Override
		public boolean isReady(JavaProcess process) {
			try {
				HttpURLConnection connection = (HttpURLConnection) this.url.toURL().openConnection();
				connection.setConnectTimeout(HEALTH_TIMEOUT_MILLIS);
				connection.setReadTimeout(HEALTH_TIMEOUT_MILLIS);
				try {
					return connection.getResponseCode() == HttpURLConnection.HTTP_OK;
				}
				finally {
					connection.disconnect();
				}
			}
			catch (IOException _) {
				return false;
			}
		}

		@Override
		public void requireFreePort(String name) {
			Ports.requireFree(Math.max(0, this.url.getPort()), name);
		}

	}

	private record Logged(String text, Duration timeout) implements Readiness {

		@Override
		public boolean isReady(JavaProcess process) {
			return process.hasLogged(this.text);
		}

	}

	/** Settings of a process that has not started yet. */
	public static final class Builder {

		private final List<String> program;

		private final List<String> jvmArgs = new ArrayList<>();

		private final List<String> args = new ArrayList<>();

		private final List<String> through = new ArrayList<>();

		private final Map<String, String> environment = new LinkedHashMap<>();

		private String name;

		private @Nullable Path logFile;

		private Readiness readiness = new AtOnce();

		private Duration stopTimeout = STOP_TIMEOUT;

		private Builder(String name, List<String> program) {
			this.name = name;
			this.program = program;
		}

		/** Sets the name used in messages. Default: the name of the jar or the class. */
		public Builder name(String value) {
			this.name = value;
			return this;
		}

		/** Adds JVM options, such as {@code -Xmx256m}. */
		public Builder jvmArgs(String... values) {
			return jvmArgs(List.of(values));
		}

		/** Adds JVM options. */
		public Builder jvmArgs(List<String> values) {
			this.jvmArgs.addAll(values);
			return this;
		}

		/** Adds arguments of the program. */
		public Builder args(String... values) {
			this.args.addAll(List.of(values));
			return this;
		}

		/** Adds the argument {@code --key=value}, a Spring property. */
		public Builder property(String key, Object value) {
			return args("--%s=%s".formatted(key, value));
		}

		/** Adds arguments {@code --key=value}, Spring properties. */
		public Builder properties(Map<String, ?> values) {
			values.forEach(this::property);
			return this;
		}

		/** Runs it through another command, such as {@code taskset -c 1}. */
		public Builder through(List<String> command) {
			this.through.addAll(command);
			return this;
		}

		/** Sets an environment variable. The others are inherited from this JVM. */
		public Builder environment(String key, String value) {
			this.environment.put(key, value);
			return this;
		}

		/**
		 * Sets the file for its output. An existing file is replaced. Default: a
		 * temporary file, which is not deleted.
		 */
		public Builder logFile(Path value) {
			this.logFile = value.toAbsolutePath();
			return this;
		}

		/**
		 * It is ready when this URL answers 200. The URL's port must be free before the
		 * start, so that no other process can answer in its place.
		 */
		public Builder readyWhen(URI healthUrl, Duration timeout) {
			this.readiness = new Healthy(healthUrl, timeout);
			return this;
		}

		/** It is ready when it has logged this text, whatever it logs afterwards. */
		public Builder readyWhenLogged(String text, Duration timeout) {
			this.readiness = new Logged(text, timeout);
			return this;
		}

		/**
		 * Sets how long {@link #close} waits between SIGTERM and SIGKILL. Default 30 s.
		 */
		public Builder stopTimeout(Duration value) {
			this.stopTimeout = value;
			return this;
		}

		/**
		 * Starts it and waits until it is ready.
		 * @throws StartFailedException as {@link #launch} and
		 * {@link JavaProcess#awaitReady}
		 */
		public JavaProcess start() {
			return launch().awaitReady();
		}

		/**
		 * Starts it and does not wait.
		 * @throws StartFailedException if its port is taken or it cannot be executed
		 */
		public JavaProcess launch() {
			this.readiness.requireFreePort(this.name);
			try {
				Path log = (this.logFile != null) ? this.logFile
						: Files.createTempFile("sluice-" + this.name + "-", ".log");
				Files.createDirectories(log.getParent());
				return new JavaProcess(this, command(), log);
			}
			catch (IOException ex) {
				throw new StartFailedException("%s cannot be started: %s".formatted(this.name, ex.getMessage()), ex);
			}
		}

		/**
		 * The shell ignores Ctrl-C and then executes the JVM: one process with one id.
		 */
		private List<String> command() {
			List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh"));
			command.addAll(this.through);
			command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
			command.addAll(this.jvmArgs);
			command.addAll(this.program);
			command.addAll(this.args);
			return command;
		}

	}

}
