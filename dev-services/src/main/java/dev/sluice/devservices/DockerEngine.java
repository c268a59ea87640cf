package dev.sluice.devservices;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks whether a container engine is available and has the images, over its HTTP API
 * and with a deadline. Testcontainers itself waits for minutes if a socket accepts but
 * does not answer, or if an image cannot be pulled.
 */
public final class DockerEngine {

	/** How long an engine may take to answer, multiplied by {@link Patience}. */
	private static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** The image that Testcontainers 2.0.5 starts. */
	private static final String RYUK_IMAGE = "testcontainers/ryuk:0.14.0";

	private static final int OK = 200;

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
		return address(System.getenv()).map((address) -> missing(address).isEmpty()).orElse(false);
	}

	/**
	 * @throws StartFailedException if no engine answers, or if it lacks an image
	 */
	static void require() {
		Optional<SocketAddress> engine = address(System.getenv()).filter((address) -> status(address, "/_ping") == OK);
		if (engine.isEmpty()) {
			throw new StartFailedException(
					"containers are required, but no Docker engine answers within %s s (DOCKER_HOST is %s): start Docker, or set %s=embedded"
						.formatted(Patience.of(TIMEOUT).toSeconds(),
								System.getenv().getOrDefault("DOCKER_HOST", "not set"), Infrastructure.VARIABLE));
		}
		requireImages(engine.get());
	}

	/**
	 * @throws StartFailedException if the engine lacks an image
	 */
	static void requireImages(SocketAddress engine) {
		List<String> missing = missing(engine);
		if (!missing.isEmpty()) {
			throw new StartFailedException("the Docker engine lacks images: run '%s', or set %s=embedded".formatted(
					missing.stream().map("docker pull "::concat).collect(Collectors.joining(" && ")),
					Infrastructure.VARIABLE));
		}
	}

	private static List<String> missing(SocketAddress engine) {
		Stream<String> images = Stream.of(ContainerKafka.IMAGE, ContainerPostgres.IMAGE);
		if (!Boolean.parseBoolean(System.getenv("TESTCONTAINERS_RYUK_DISABLED"))) {
			images = Stream.concat(images, Stream.of(RYUK_IMAGE));
		}
		return images.filter((image) -> status(engine, "/images/%s/json".formatted(image)) != OK).toList();
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

	/**
	 * The status code of a GET; 0 if there is no answer in time. The request is aborted
	 * then, by closing its channel.
	 */
	static int status(SocketAddress address, String path) {
		try (SocketChannel channel = SocketChannel.open((address instanceof UnixDomainSocketAddress)
				? StandardProtocolFamily.UNIX : StandardProtocolFamily.INET)) {
			FutureTask<Integer> answer = new FutureTask<>(() -> status(channel, address, path));
			// A platform thread, because connecting to a Unix socket may pin a carrier
			// thread.
			Thread.ofPlatform().daemon().name("docker-probe").start(answer);
			return answer.get(Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException | IOException _) {
			return 0;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return 0;
		}
	}

	private static int status(SocketChannel channel, SocketAddress address, String path) throws IOException {
		channel.connect(address);
		channel.write(StandardCharsets.US_ASCII
			.encode("GET %s HTTP/1.0\r\nHost: docker\r\nConnection: close\r\n\r\n".formatted(path)));
		String line = new BufferedReader(Channels.newReader(channel, StandardCharsets.US_ASCII)).readLine();
		return (line != null && line.matches("HTTP/1\\.[01] \\d{3}.*")) ? Integer.parseInt(line.substring(9, 12)) : 0;
	}

}
