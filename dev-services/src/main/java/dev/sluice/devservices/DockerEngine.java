package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Checks whether a container engine is available, over its HTTP API and with a deadline.
 * Testcontainers itself waits for minutes if a socket accepts but does not answer, or if
 * an image cannot be pulled.
 */
public final class DockerEngine {

	/** How long an engine may take to answer. */
	public static final Duration TIMEOUT = Duration.ofSeconds(3);

	/** The image that Testcontainers 2.0.5 starts. */
	private static final String RYUK_IMAGE = "testcontainers/ryuk:0.14.0";

	private static final int OK = 200;

	private DockerEngine() {
	}

	/** Whether an engine answers within {@link #TIMEOUT}. */
	public static boolean answers() {
		return address(System.getenv()).map((address) -> status(address, "/_ping") == OK).orElse(false);
	}

	/**
	 * Whether an engine answers and has the images of Kafka and PostgreSQL, and the image
	 * that Testcontainers uses to clean up, unless that is disabled.
	 */
	public static boolean hasServers() {
		return hasImages(ContainerKafka.IMAGE, ContainerPostgres.IMAGE)
				&& (Boolean.parseBoolean(System.getenv("TESTCONTAINERS_RYUK_DISABLED")) || hasImages(RYUK_IMAGE));
	}

	private static boolean hasImages(String... images) {
		Optional<SocketAddress> address = address(System.getenv());
		return address.isPresent() && Stream.of(images)
			.allMatch((image) -> status(address.get(), "/images/%s/json".formatted(image)) == OK);
	}

	/**
	 * @throws StartFailedException if no engine answers
	 */
	static void require() {
		if (!answers()) {
			throw new StartFailedException(
					"containers are required, but no Docker engine answers within %d s (DOCKER_HOST is %s): start Docker, or set %s=embedded"
						.formatted(TIMEOUT.toSeconds(), System.getenv().getOrDefault("DOCKER_HOST", "not set"),
								Infrastructure.VARIABLE));
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
		Question question = new Question(address, path);
		// A platform thread, because connecting to a Unix socket may pin a carrier
		// thread.
		CompletableFuture<Integer> status = new CompletableFuture<>();
		Thread.ofPlatform().daemon().name("docker-probe").start(() -> {
			try {
				status.complete(question.ask());
			}
			catch (IOException | RuntimeException ex) {
				status.completeExceptionally(ex);
			}
		});
		try {
			return status.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException _) {
			return 0;
		}
		catch (InterruptedException _) {
			Thread.currentThread().interrupt();
			return 0;
		}
		finally {
			question.close();
		}
	}

	/** A request that another thread can abort. */
	private static final class Question implements AutoCloseable {

		private final SocketAddress address;

		private final String path;

		private volatile @Nullable SocketChannel channel;

		Question(SocketAddress address, String path) {
			this.address = address;
			this.path = path;
		}

		int ask() throws IOException {
			try (SocketChannel open = SocketChannel.open((this.address instanceof UnixDomainSocketAddress)
					? java.net.StandardProtocolFamily.UNIX : java.net.StandardProtocolFamily.INET)) {
				this.channel = open;
				open.connect(this.address);
				open.write(StandardCharsets.US_ASCII
					.encode("GET %s HTTP/1.0\r\nHost: docker\r\n\r\n".formatted(this.path)));
				ByteBuffer answer = ByteBuffer.allocate("HTTP/1.0 200".length());
				while (answer.hasRemaining() && open.read(answer) >= 0) {
					// Reads the whole status.
				}
				String line = StandardCharsets.US_ASCII.decode(answer.flip()).toString();
				return line.matches("HTTP/1\\.[01] \\d{3}") ? Integer.parseInt(line.substring(9)) : 0;
			}
		}

		@Override
		public void close() {
			SocketChannel open = this.channel;
			if (open != null) {
				try {
					open.close();
				}
				catch (IOException _) {
					// The answer is no longer needed.
				}
			}
		}

	}

}
