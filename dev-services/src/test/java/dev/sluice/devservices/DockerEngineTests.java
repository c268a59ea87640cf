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
	void isNotMisledByAServerThatSpeaksSomethingElse() throws Exception {
		try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			Thread.ofVirtual().start(() -> {
				try (var connection = server.accept()) {
					connection.getOutputStream().write("220 mail.example ready\r\n".getBytes());
				}
				catch (IOException _) {
					// The missing answer fails the test.
				}
			});

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
