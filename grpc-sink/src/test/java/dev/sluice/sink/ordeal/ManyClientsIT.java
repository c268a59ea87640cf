package dev.sluice.sink.ordeal;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import dev.sluice.sink.DiscardingSink;
import dev.sluice.sink.client.DeliveryListener;
import dev.sluice.sink.client.SinkClient;
import dev.sluice.sink.client.SinkClientOptions;
import io.grpc.ManagedChannelBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * 64 connections to a sink with a heap of 256 MB and a slow storage, with more messages
 * in flight than it could hold.
 */
@Tag("full")
@Execution(ExecutionMode.CONCURRENT)
class ManyClientsIT {

	private static final int CLIENTS = 64;

	private static final long MEMORY_BYTES = 64 * 1024 * 1024;

	private static final Duration DEADLINE = Patience.of(Duration.ofMinutes(2));

	@TempDir
	private Path directory;

	@Test
	void areHeldBackWhereMemoryWouldNotDo() throws Exception {
		byte[] message = new byte[100_000];
		new Random(42).nextBytes(message);

		// Four messages of each stream in addition to the limit.
		send(message, 60, MEMORY_BYTES + CLIENTS * 4 * (message.length + 100L));
	}

	@Test
	void areHeldBackWhereMemoryWouldNotDoForWhatTheyCompressed() throws Exception {
		byte[] message = new byte[1_000_000];

		// One message of each stream in addition to the limit on decompressed bytes.
		send(message, 12, 2 * MEMORY_BYTES + CLIENTS * message.length);
	}

	private void send(byte[] message, int messages, long mostBytes) throws Exception {
		int port = Ports.free();
		int managementPort = Ports.free();
		List<SinkClient> clients = new ArrayList<>();
		try (JavaProcess sink = sink(port, managementPort).awaitReady(); HttpClient http = HttpClient.newHttpClient()) {
			for (int i = 0; i < CLIENTS; i++) {
				clients.add(SinkClient.open(ManagedChannelBuilder.forAddress("127.0.0.1", port).usePlaintext(),
						SinkClientOptions.inMemory().withWindow(messages), DeliveryListener.NONE));
			}
			for (int i = 0; i < messages; i++) {
				for (SinkClient client : clients) {
					client.send(message);
				}
			}

			List<Double> bytes = new ArrayList<>();
			await().atMost(DEADLINE).until(() -> {
				bytes.add(metric(http, managementPort, "sluice_sink_memory "));
				return clients.stream().allMatch((client) -> client.stats().spooled() == 0);
			});

			assertThat(metric(http, managementPort, "sluice_sink_stored_total ")).isEqualTo(CLIENTS * messages);
			assertThat(metric(http, managementPort, "sluice_sink_dropped_total ")).isZero();
			assertThat(bytes).allSatisfy((used) -> assertThat(used).isLessThan(mostBytes));
			assertThat(clients).allSatisfy((client) -> assertThat(client.stats().disconnections()).isZero());
			assertThat(sink.isAlive()).isTrue();
		}
		finally {
			clients.forEach(SinkClient::close);
		}
	}

	private JavaProcess sink(int port, int managementPort) {
		return JavaProcess.mainClass(DiscardingSink.class.getName())
			.jvmArgs("-Xmx256m", "-XX:+ExitOnOutOfMemoryError", "-XX:TieredStopAtLevel=1")
			.property("server.port", managementPort)
			.property("spring.grpc.server.port", port)
			.property("spring.kafka.bootstrap-servers", "127.0.0.1:1")
			.property("sink.store.delay", "500ms")
			.property("sink.limits.memory", MEMORY_BYTES + "B")
			.logFile(this.directory.resolve("sink.log"))
			.readyWhen(URI.create("http://127.0.0.1:%s/actuator/health/readiness".formatted(managementPort)),
					DevServices.startTimeout())
			.launch()
			.awaitReady();
	}

	private static double metric(HttpClient http, int port, String name) throws Exception {
		String all = http
			.send(HttpRequest.newBuilder(URI.create("http://127.0.0.1:%s/actuator/prometheus".formatted(port))).build(),
					BodyHandlers.ofString())
			.body();
		String line = all.lines().filter((one) -> one.startsWith(name)).findFirst().orElseThrow();
		return Double.parseDouble(line.substring(name.length()));
	}

}
