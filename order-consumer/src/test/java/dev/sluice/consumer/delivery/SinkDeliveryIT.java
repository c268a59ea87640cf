package dev.sluice.consumer.delivery;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Ports;
import dev.sluice.sink.Certificates;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code delivery.target=grpc} against a real Kafka and the real sink. */
class SinkDeliveryIT {

	private static final Path SINK = Path.of("../grpc-sink/target/grpc-sink.jar");

	private static final Duration START = Duration.ofSeconds(60);

	private static ConsumerHarness harness;

	@TempDir
	private Path directory;

	@BeforeAll
	static void start() {
		harness = new ConsumerHarness();
	}

	@AfterAll
	static void stop() {
		harness.close();
	}

	@BeforeEach
	void reset() throws Exception {
		harness.reset(12);
	}

	@Test
	void storesEachOrderInTheSinkOverMutualTls() throws Exception {
		Certificates certificates = Certificates.in(this.directory);
		int port = Ports.free();
		List<String> tls = new ArrayList<>(certificates.bundle("sink"));
		tls.addAll(List.of("spring.grpc.server.ssl.bundle=sink", "spring.grpc.server.ssl.client-auth=require"));
		try (JavaProcess _ = startSink(port, tls)) {
			List<UUID> orders = harness.enqueue(200);

			startConsumer(port, Stream.concat(certificates.bundle("client").stream(),
					Stream.of("delivery.sink-ssl-bundle=client")));

			eventually().until(harness::saved, (saved) -> saved == 200);
			assertThat(stored(orders)).containsExactlyInAnyOrderElementsOf(orders);
			eventually().until(harness::lag, (lag) -> lag == 0);
		}
	}

	@Test
	void waitsForASinkThatIsAwayWithoutBurningAttempts() throws Exception {
		int port = Ports.free();
		List<UUID> orders = harness.enqueue(1_500);
		// So that it is killed with orders under way and others to come.
		try (JavaProcess sink = startSink(port, List.of("sink.store-delay=100ms"))) {
			Gate gate = startConsumer(port,
					Stream.of("delivery.concurrency=20", "delivery.max-attempts=3", "backend.response-timeout=1s"));
			eventually().until(harness::saved, (saved) -> saved > 100);

			sink.kill();
			eventually().until(gate::circuit, (circuit) -> circuit == State.OPEN);
			int outages = gate.outages();
			eventually().until(gate::outages, (now) -> now >= outages + 2);
			assertThat(harness.saved()).isLessThan(1_500);
			try (JavaProcess _ = sink.relaunch().awaitReady()) {

				eventually().until(harness::saved, (saved) -> saved == 1_500);
			}
		}
		assertThat(stored(orders)).containsExactlyInAnyOrderElementsOf(orders);
		assertThat(harness.outcomes().values()).allMatch((outcome) -> outcome.status() == OrderStatus.SAVED);
		assertThat(harness.records(Topics.ORDERS_DLT)).isEmpty();
	}

	private static JavaProcess startSink(int port, List<String> properties) {
		int managementPort = Ports.free();
		List<String> arguments = new ArrayList<>(List.of("server.port=" + managementPort,
				"spring.grpc.server.port=" + port, "spring.kafka.bootstrap-servers=" + harness.bootstrapServers()));
		arguments.addAll(properties);
		return JavaProcess.jar(SINK)
			.jvmArgs("-Xmx256m")
			.args(arguments.stream().map((property) -> "--" + property).toArray(String[]::new))
			.logFile(Path.of("target/grpc-sink-" + port + ".log"))
			.readyWhen(URI.create("http://127.0.0.1:" + managementPort + "/actuator/health/readiness"), START)
			.start();
	}

	private static Gate startConsumer(int port, Stream<String> properties) {
		return harness
			.startConsumer(Stream
				.concat(Stream.of("delivery.target=grpc", "delivery.sink-address=localhost:" + port), properties)
				.toArray(String[]::new))
			.getBean(Gate.class);
	}

	/** Those of these orders that the sink's topic has, as often as it has them. */
	private static List<UUID> stored(Collection<UUID> orders) {
		return harness.records(Topics.SINK)
			.stream()
			.map((record) -> UUID.fromString(new String(record.key(), StandardCharsets.US_ASCII)))
			.filter(orders::contains)
			.toList();
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofSeconds(60)).pollInterval(Duration.ofMillis(100));
	}

}
