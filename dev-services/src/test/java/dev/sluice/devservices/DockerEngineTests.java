package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Path;
import java.util.Map;

import com.sun.net.httpserver.HttpServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class DockerEngineTests {

	@Test
	void givesUpAnEngineThatDoesNotAnswer(@TempDir Path directory) throws IOException {
		UnixDomainSocketAddress address = UnixDomainSocketAddress.of(directory.resolve("docker.sock"));
		try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
			silent.bind(address);

			assertThat(DockerEngine.status(address, "/_ping")).isZero();
		}
	}

	@Test
	void givesUpASocketWithoutListener(@TempDir Path directory) {
		assertThat(DockerEngine.status(UnixDomainSocketAddress.of(directory.resolve("absent.sock")), "/_ping"))
			.isZero();
	}

	@Test
	void readsTheStatus() throws IOException {
		HttpServer engine = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		engine.createContext("/_ping", (exchange) -> {
			exchange.sendResponseHeaders(200, -1);
			exchange.close();
		});
		engine.start();
		try {
			assertThat(DockerEngine.status(engine.getAddress(), "/_ping")).isEqualTo(200);
			assertThat(DockerEngine.status(engine.getAddress(), "/images/absent/json")).isEqualTo(404);
		}
		finally {
			engine.stop(0);
		}
	}

	@Test
	void readsTheStatusOfAnEngineThatKeepsTheConnection() throws IOException {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			answerOnce(server, "HTTP/1.1 200 OK\r\n\r\n", true);

			assertThat(DockerEngine.status(server.getLocalSocketAddress(), "/_ping")).isEqualTo(200);
		}
	}

	@Test
	void saysWhichImagesAreMissingAndWhatToDo() throws IOException {
		HttpServer engine = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		engine.createContext("/images/postgres:18/json", (exchange) -> {
			exchange.sendResponseHeaders(200, -1);
			exchange.close();
		});
		engine.start();
		try {
			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> DockerEngine.requireImages(engine.getAddress()))
				.withMessageContainingAll("'docker pull apache/kafka:", "TEST_INFRA=embedded")
				.withMessageNotContaining("postgres");
		}
		finally {
			engine.stop(0);
		}
	}

	/** Answers one connection, which may stay open until the client closes it. */
	private static void answerOnce(ServerSocket server, String answer, boolean keep) {
		Thread.ofVirtual().start(() -> {
			try (var connection = server.accept()) {
				connection.getOutputStream().write(answer.getBytes());
				if (keep) {
					connection.getInputStream().readAllBytes();
				}
			}
			catch (IOException _) {
				// The missing answer fails the test.
			}
		});
	}

	@Test
	void isNotMisledByAServerThatSpeaksSomethingElse() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			answerOnce(server, "220 mail.example ready\r\n", false);

			assertThat(DockerEngine.status(server.getLocalSocketAddress(), "/_ping")).isZero();
		}
	}

	@Test
	void findsTheEngineTheEnvironmentNames() {
		assertThat(DockerEngine.address(Map.of("DOCKER_HOST", "unix:///run/engine.sock")))
			.contains(UnixDomainSocketAddress.of("/run/engine.sock"));
		assertThat(DockerEngine.address(Map.of("DOCKER_HOST", "tcp://127.0.0.1:2375")))
			.contains(new InetSocketAddress("127.0.0.1", 2375));
		assertThat(DockerEngine.address(Map.of("DOCKER_HOST", "tcp://127.0.0.1:2376", "DOCKER_TLS_VERIFY", "1")))
			.isEmpty();
	}

}
