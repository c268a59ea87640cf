package dev.sluice.devservices;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
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
	void pullsAnImage() throws IOException {
		HttpServer engine = engine(200, """
				{"status":"Pulling from apache/kafka","id":"4.2.1"}
				{"status":"Downloading","progressDetail":{"current":1,"total":2}}
				""".repeat(500));
		try {
			DockerEngine.pull(engine.getAddress(), "apache/kafka:4.2.1");
		}
		finally {
			engine.stop(0);
		}
	}

	@Test
	void saysWhyAnImageCannotBePulledAndWhatToDo() throws IOException {
		HttpServer engine = engine(404, "{\"message\":\"no \\\"such\\\" image\"}");
		try {
			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> DockerEngine.pull(engine.getAddress(), "absent:1"))
				.withMessageContainingAll("cannot pull the image absent:1: no \"such\" image", "docker pull absent:1",
						"TEST_INFRA=embedded");
		}
		finally {
			engine.stop(0);
		}
	}

	@Test
	void noticesAPullThatFailsAfterItsStart() throws IOException {
		HttpServer engine = engine(200, """
				{"status":"Pulling from apache/kafka","id":"4.2.1"}
				""".repeat(500) + """
				{"errorDetail":{"message":"unexpected EOF"},"error":"unexpected EOF"}
				""");
		try {
			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> DockerEngine.pull(engine.getAddress(), "apache/kafka:4.2.1"))
				.withMessageContaining(": unexpected EOF. Pull it with");
		}
		finally {
			engine.stop(0);
		}
	}

	@Test
	void noticesAnEngineThatEndsDuringAPull() throws IOException {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			answerOnce(server, "HTTP/1.", false);

			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> DockerEngine.pull(server.getLocalSocketAddress(), "apache/kafka:4.2.1"))
				.withMessageContaining("the connection ended");
		}
	}

	@Test
	void endsAPullWhenItsThreadIsInterrupted() throws IOException {
		try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Thread.currentThread().interrupt();

			assertThatExceptionOfType(StartFailedException.class)
				.isThrownBy(() -> DockerEngine.pull(silent.getLocalSocketAddress(), "apache/kafka:4.2.1"))
				.withMessageContaining("interrupted");
			assertThat(Thread.interrupted()).isTrue();
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

	private static HttpServer engine(int status, String answer) throws IOException {
		byte[] body = answer.getBytes(StandardCharsets.UTF_8);
		HttpServer engine = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
		engine.createContext("/images/create", (exchange) -> {
			exchange.sendResponseHeaders(status, body.length);
			exchange.getResponseBody().write(body);
			exchange.close();
		});
		engine.start();
		return engine;
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
