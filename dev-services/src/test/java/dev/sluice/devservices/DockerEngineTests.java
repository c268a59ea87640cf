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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

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

	/** The first line is enough: an engine may keep the connection. */
	@ParameterizedTest
	@CsvSource({ "HTTP/1.1 200 OK, 200", "HTTP/1.0 404 Not Found, 404", "220 mail.example ready, 0" })
	void readsTheStatus(String answer, int status) throws IOException {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Thread.ofVirtual().start(() -> {
				try (var connection = server.accept()) {
					connection.getOutputStream().write((answer + "\r\n\r\n").getBytes());
					connection.getInputStream().readAllBytes();
				}
				catch (IOException _) {
					// The missing answer fails the test.
				}
			});

			assertThat(DockerEngine.status(server.getLocalSocketAddress(), "/_ping")).isEqualTo(status);
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
			assertThat(DockerEngine.problem(engine.getAddress()).orElseThrow())
				.contains("lacks images (run 'docker pull apache/kafka:")
				.doesNotContain("postgres");
		}
		finally {
			engine.stop(0);
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
