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
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
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

	/**
	 * A platform thread, because connecting to a Unix socket may pin a carrier thread.
	 */
	private static final Executor PROBE = (task) -> Thread.ofPlatform().daemon().name("docker-probe").start(task);

	private DockerEngine() {
	}

	/**
	 * Why Kafka and PostgreSQL cannot run in containers: no engine answers within 3 s,
	 * multiplied by {@link Patience}, or it lacks their images, or the image that
	 * Testcontainers uses to clean up, unless that is disabled. Empty if they can.
	 */
	public static Optional<String> problem() {
		return address(System.getenv()).filter((engine) -> status(engine, "/_ping") == OK)
			.map(DockerEngine::problem)
			.orElseGet(() -> Optional.of("no Docker engine answers within %s s (DOCKER_HOST is %s)"
				.formatted(Patience.of(TIMEOUT).toSeconds(), System.getenv().getOrDefault("DOCKER_HOST", "not set"))));
	}

	static Optional<String> problem(SocketAddress engine) {
		String pulls = Stream.of(Containers.KAFKA, Containers.POSTGRES, RYUK_IMAGE)
			.filter((image) -> !image.equals(RYUK_IMAGE)
					|| !Boolean.parseBoolean(System.getenv("TESTCONTAINERS_RYUK_DISABLED")))
			.filter((image) -> status(engine, "/images/%s/json".formatted(image)) != OK)
			.map("docker pull "::concat)
			.collect(Collectors.joining(" && "));
		return pulls.isEmpty() ? Optional.empty()
				: Optional.of("the Docker engine lacks images (run '%s')".formatted(pulls));
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
			return CompletableFuture.supplyAsync(() -> status(channel, address, path), PROBE)
				.completeOnTimeout(0, Patience.of(TIMEOUT).toMillis(), TimeUnit.MILLISECONDS)
				.join();
		}
		catch (IOException _) {
			return 0;
		}
	}

	private static int status(SocketChannel channel, SocketAddress address, String path) {
		try {
			channel.connect(address);
			channel.write(StandardCharsets.US_ASCII
				.encode("GET %s HTTP/1.0\r\nHost: docker\r\nConnection: close\r\n\r\n".formatted(path)));
			String line = new BufferedReader(Channels.newReader(channel, StandardCharsets.US_ASCII)).readLine();
			return (line != null && line.matches("HTTP/1\\.[01] \\d{3}.*")) ? Integer.parseInt(line.substring(9, 12))
					: 0;
		}
		catch (IOException _) {
			return 0;
		}
	}

}
