package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks whether a container engine is available, and pulls missing images, over its HTTP
 * API and with a deadline. Testcontainers itself waits for minutes if a socket accepts
 * but does not answer. If an image cannot be pulled, it retries for two minutes, logs a
 * stack trace each time and cannot be interrupted.
 */
public final class DockerEngine {

	/** How long an engine may take to answer, multiplied by {@link Patience}. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** The image that Testcontainers 2.0.5 starts. */
	private static final String RYUK_IMAGE = "testcontainers/ryuk:0.14.0";

	/**
	 * How long the engine may take to pull an image, multiplied by {@link Patience}.
	 */
	private static final Duration PULL_TIMEOUT = Duration.ofMinutes(10);

	/**
	 * The error in the answer to a pull, which the engine also reports with status 200.
	 */
	private static final Pattern ERROR = Pattern.compile("\"(?:error|message)\"\\s*:\\s*\"((?:[^\"\\\\]|\\\\.)*+)\"");

	private static final Logger logger = LoggerFactory.getLogger(DockerEngine.class);

	private static final String PULL = "POST";

	private static final int OK = 200;

	/** More than an error takes. A pull reports its progress before. */
	private static final int KEPT_BYTES = 8_192;

	private DockerEngine() {
	}

	/** Whether an engine answers within 3 s, multiplied by {@link Patience}. */
	public static boolean answers() {
		return address(System.getenv()).map((address) -> status(address, "/_ping") == OK).orElse(false);
	}

	/**
	 * Whether an engine answers and has the images of Kafka and PostgreSQL, and the image
	 * that Testcontainers uses to clean up, unless that is disabled.
	 */
	public static boolean hasServers() {
		return address(System.getenv()).map((address) -> images().allMatch((image) -> hasImage(address, image)))
			.orElse(false);
	}

	private static Stream<String> images() {
		Stream<String> servers = Stream.of(ContainerKafka.IMAGE, ContainerPostgres.IMAGE);
		return Boolean.parseBoolean(System.getenv("TESTCONTAINERS_RYUK_DISABLED")) ? servers
				: Stream.concat(servers, Stream.of(RYUK_IMAGE));
	}

	private static boolean hasImage(SocketAddress address, String image) {
		return status(address, "/images/%s/json".formatted(image)) == OK;
	}

	/**
	 * Pulls the images that the engine does not have.
	 * @throws StartFailedException if no engine answers, if an image cannot be pulled, or
	 * if the thread is interrupted meanwhile
	 */
	static void require() {
		Optional<SocketAddress> engine = address(System.getenv()).filter((address) -> status(address, "/_ping") == OK);
		if (engine.isEmpty()) {
			throw new StartFailedException(
					"containers are required, but no Docker engine answers within %s s (DOCKER_HOST is %s): start Docker, or set %s=embedded"
						.formatted(Patience.of(TIMEOUT).toSeconds(),
								System.getenv().getOrDefault("DOCKER_HOST", "not set"), Infrastructure.VARIABLE));
		}
		images().filter((image) -> !hasImage(engine.get(), image)).forEach((image) -> pull(engine.get(), image));
	}

	/**
	 * @throws StartFailedException if the image cannot be pulled, or if the thread is
	 * interrupted meanwhile
	 */
	static void pull(SocketAddress address, String image) {
		logger.info("Pulling the image {}", image);
		Answer answer = ask(address, PULL, "/images/create?fromImage=" + image, Patience.of(PULL_TIMEOUT));
		if (Thread.currentThread().isInterrupted()) {
			throw new StartFailedException("interrupted while the image %s was pulled".formatted(image));
		}
		Optional<String> error = ERROR.matcher(answer.end())
			.results()
			.map((result) -> result.group(1).replace("\\\"", "\""))
			.reduce((_, last) -> last);
		if (answer.status() != OK || error.isPresent()) {
			throw new StartFailedException(
					"the Docker engine cannot pull the image %s: %s. Pull it with 'docker pull %s', or set %s=embedded"
						.formatted(image,
								error.orElseGet(() -> (answer.status() != 0) ? "HTTP " + answer.status()
										: "the connection ended, or no answer came within %s min"
											.formatted(Patience.of(PULL_TIMEOUT).toMinutes())),
								image, Infrastructure.VARIABLE));
		}
	}

	/** The engine's address. Empty if none is found, or if the engine requires TLS. */
	static Optional<SocketAddress> address(Map<String, String> environment) {
		String host = environment.get("DOCKER_HOST");
		if (host != null && !host.isBlank()) {
			URI uri = URI.create(host);
			return switch (Objects.requireNonNullElse(uri.getScheme(), "")) {
				case "unix" -> Optional.of(UnixDomainSocketAddress.of(uri.getPath()));
				case "tcp", "http" -> environment.containsKey("DOCKER_TLS_VERIFY") ? Optional.empty()
						: Optional.of(new InetSocketAddress(uri.getHost(), uri.getPort()));
				default -> Optional.empty();
			};
		}
		return Stream
			.of("/var/run/docker.sock", environment.getOrDefault("XDG_RUNTIME_DIR", "") + "/docker.sock",
					environment.getOrDefault("HOME", "") + "/.docker/run/docker.sock",
					environment.getOrDefault("HOME", "") + "/.docker/desktop/docker.sock")
			.map(Path::of)
			.filter(Files::exists)
			.<SocketAddress>map(UnixDomainSocketAddress::of)
			.findFirst();
	}

	/** The status code of a GET; 0 if there is no answer in time. */
	static int status(SocketAddress address, String path) {
		return ask(address, "GET", path, Patience.of(TIMEOUT)).status();
	}

	/**
	 * Aborts the request, by closing its channel, if the answer does not come in time.
	 */
	private static Answer ask(SocketAddress address, String method, String path, Duration timeout) {
		try (SocketChannel channel = SocketChannel.open((address instanceof UnixDomainSocketAddress)
				? StandardProtocolFamily.UNIX : StandardProtocolFamily.INET)) {
			FutureTask<Answer> answer = new FutureTask<>(() -> ask(channel, address, method, path));
			// A platform thread, because connecting to a Unix socket may pin a carrier
			// thread.
			Thread.ofPlatform().daemon().name("docker-probe").start(answer);
			return answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | IOException _) {
			return Answer.NONE;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return Answer.NONE;
		}
	}

	private static Answer ask(SocketChannel channel, SocketAddress address, String method, String path)
			throws IOException {
		channel.connect(address);
		channel.write(StandardCharsets.US_ASCII
			.encode("%s %s HTTP/1.0\r\nHost: docker\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".formatted(method,
					path)));
		ByteBuffer head = ByteBuffer.allocate("HTTP/1.0 200".length());
		while (head.hasRemaining() && channel.read(head) >= 0) {
			// Reads the whole status.
		}
		String line = StandardCharsets.US_ASCII.decode(head.flip()).toString();
		int status = line.matches("HTTP/1\\.[01] \\d{3}") ? Integer.parseInt(line.substring(9)) : 0;
		// Only a pull needs the end of the answer, for which the engine must close.
		return new Answer(status, (status != 0 && method.equals(PULL)) ? end(channel) : "");
	}

	private static String end(SocketChannel channel) throws IOException {
		ByteBuffer last = ByteBuffer.allocate(2 * KEPT_BYTES);
		while (channel.read(last) >= 0) {
			if (!last.hasRemaining()) {
				last.flip().position(KEPT_BYTES);
				last.compact();
			}
		}
		return StandardCharsets.UTF_8.decode(last.flip()).toString();
	}

	/**
	 * The engine's answer.
	 *
	 * @param status status code; 0 if there is no answer
	 * @param end the last part of the answer
	 */
	private record Answer(int status, String end) {

		private static final Answer NONE = new Answer(0, "");

	}

}
