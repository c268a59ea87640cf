package dev.sluice.sink;

import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.grpc.server.lifecycle.GrpcServerLifecycle;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.awaitility.Awaitility.await;

/** Has its own server: its connection age would end connections of other tests. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = { "spring.grpc.server.port=0",
		"sink.store=log", "spring.grpc.server.keepalive.connection.max-age=1s" })
class ConnectionAgeTests {

	@TempDir
	private static Path directory;

	@Autowired
	private GrpcServerLifecycle grpc;

	@DynamicPropertySource
	static void log(DynamicPropertyRegistry registry) {
		registry.add("sink.log-directory", () -> directory.resolve("log").toString());
	}

	@Test
	void endsAConnection() throws Exception {
		try (RawClient client = new RawClient(this.grpc.getPort(), 65_535)) {
			await().atMost(Duration.ofSeconds(30)).until(() -> !client.isConnected());
		}
	}

}
