package dev.sluice.devservices;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;

import org.jspecify.annotations.Nullable;

/**
 * The command of a {@link JavaProcess}, and what shows that the process is ready. Not to
 * be changed after a launch, because the process may be started with it again.
 */
public final class JavaCommand {

	/** The default time that a process may take to stop after SIGTERM. */
	private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);

	private static final int HEALTH_TIMEOUT_MILLIS = 2_000;

	private final List<String> program;

	private final List<String> jvmArgs = new ArrayList<>();

	private final List<String> args = new ArrayList<>();

	String name;

	private @Nullable Path logFile;

	Predicate<JavaProcess> readiness = (_) -> true;

	/** Must be free before a start; 0 for none. */
	int port;

	Duration readyTimeout = Duration.ZERO;

	Duration stopTimeout = STOP_TIMEOUT;

	private JavaCommand(String name, List<String> program) {
		this.name = name;
		this.program = program;
	}

	/** An executable jar. */
	public static JavaCommand jar(Path jar) {
		Path file = jar.toAbsolutePath().normalize();
		if (!Files.isRegularFile(file)) {
			throw new StartFailedException(
					"%s is missing: build it with 'mvn -q -B package -DskipTests'".formatted(file));
		}
		String fileName = jar.getFileName().toString();
		return new JavaCommand(fileName.endsWith(".jar") ? fileName.substring(0, fileName.length() - 4) : fileName,
				List.of("-jar", file.toString()));
	}

	/**
	 * A class with a main method, on the class path of this JVM.
	 */
	public static JavaCommand mainClass(String className) {
		String simpleName = className.substring(className.lastIndexOf('.') + 1);
		return new JavaCommand(simpleName, List.of("-cp", System.getProperty("java.class.path"), className));
	}

	/** Sets the name used in messages. Default: the name of the jar or the class. */
	public JavaCommand name(String value) {
		this.name = value;
		return this;
	}

	/** Adds JVM options, such as {@code -Xmx256m}. */
	public JavaCommand jvmArgs(String... values) {
		return jvmArgs(List.of(values));
	}

	/** Adds JVM options. */
	public JavaCommand jvmArgs(List<String> values) {
		this.jvmArgs.addAll(values);
		return this;
	}

	/** Adds arguments of the program. */
	public JavaCommand args(String... values) {
		this.args.addAll(List.of(values));
		return this;
	}

	/** Adds the argument {@code --key=value}, a Spring property. */
	public JavaCommand property(String key, Object value) {
		return args("--%s=%s".formatted(key, value));
	}

	/** Adds arguments {@code --key=value}, Spring properties. */
	public JavaCommand properties(Map<String, ?> values) {
		values.forEach(this::property);
		return this;
	}

	/** Sets the file for its output, which it must have. An existing file is replaced. */
	public JavaCommand logFile(Path value) {
		this.logFile = value.toAbsolutePath();
		return this;
	}

	/**
	 * It is ready when this URL answers 200. The URL's port must be free before the
	 * start, so that no other process can answer in its place.
	 */
	public JavaCommand readyWhen(URI healthUrl, Duration timeout) {
		this.readiness = (_) -> isHealthy(healthUrl);
		this.port = Math.max(0, healthUrl.getPort());
		this.readyTimeout = timeout;
		return this;
	}

	/** It is ready when it has logged this text, whatever it logs afterwards. */
	public JavaCommand readyWhenLogged(String text, Duration timeout) {
		this.readiness = (started) -> started.hasLogged(text);
		this.readyTimeout = timeout;
		return this;
	}

	/**
	 * Sets how long {@link #close} waits between SIGTERM and SIGKILL. Default 30 s.
	 */
	public JavaCommand stopTimeout(Duration value) {
		this.stopTimeout = value;
		return this;
	}

	/**
	 * Starts it and waits until it is ready.
	 * @throws StartFailedException as {@link #launch} and {@link JavaProcess#awaitReady}
	 */
	public JavaProcess start() {
		return launch().awaitReady();
	}

	/**
	 * Starts it and does not wait.
	 * @throws StartFailedException if its port is taken or it cannot be executed
	 */
	public JavaProcess launch() {
		Path log = Objects.requireNonNull(this.logFile, "logFile");
		try {
			Files.createDirectories(log.getParent());
		}
		catch (IOException ex) {
			throw new StartFailedException("%s cannot be started: %s".formatted(this.name, ex.getMessage()), ex);
		}
		return new JavaProcess(this, log);
	}

	/**
	 * The shell ignores Ctrl-C and then executes the JVM: one process with one id.
	 */
	List<String> words() {
		List<String> command = new ArrayList<>(List.of("sh", "-c", "trap '' HUP INT; exec \"$@\"", "sh"));
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(this.jvmArgs);
		command.addAll(this.program);
		command.addAll(this.args);
		return List.copyOf(command);
	}

	private static boolean isHealthy(URI url) {
		try {
			HttpURLConnection connection = (HttpURLConnection) url.toURL().openConnection();
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

}
