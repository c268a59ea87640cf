package dev.sluice.consumer.delivery;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.consumer.ConsumerHarness;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Ports;
import dev.sluice.sink.Certificates;
import io.github.resilience4j.circuitbreaker.CircuitBreaker.State;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@code delivery.target=grpc} against a Kafka of its own and the real sink, while other
 * classes run.
 */
@Execution(ExecutionMode.CONCURRENT)
class SinkDeliveryIT {

	private static final Path SINK = Path.of("../grpc-sink/target/grpc-sink.jar");

	private static DevServices servers;

	private static ConsumerHarness harness;

	@TempDir
	private Path directory;

	@BeforeAll
	static void start() throws Exception {
		servers = DevServices.start(DevServices.shared().infrastructure());
		harness = new ConsumerHarness(servers.kafka());
		harness.reset(12);
	}

	@AfterAll
	static void stop() {
		harness.close();
		servers.close();
	}

	@Test
	void storesEachOrderOverMutualTlsAndBurnsNoAttemptsWhileTheSinkIsAway() throws Exception {
		Certificates certificates = Certificates.in(this.directory);
		int port = Ports.free();
		List<UUID> orders = harness.enqueue(600);
		try (JavaProcess sink = startSink(port, certificates)) {
			DeliveryLimiter limiter = startConsumer(port, certificates);
			eventually().until(harness::saved, (saved) -> saved > 50);

			sink.kill();
			eventually().until(limiter::circuit, (circuit) -> circuit == State.OPEN);
			int outages = limiter.outages();
			eventually().until(limiter::outages, (now) -> now > outages);
			assertThat(harness.saved()).isLessThan(600);
			try (JavaProcess _ = sink.relaunch().awaitReady()) {

				eventually().until(harness::saved, (saved) -> saved == 600);
			}
		}
		assertThat(stored(orders)).containsExactlyInAnyOrderElementsOf(orders);
		assertThat(harness.outcomes().values()).allMatch((outcome) -> outcome.status() == OrderStatus.SAVED);
		assertThat(harness.records(Topics.ORDERS_DLT)).isEmpty();
		eventually().until(harness::lag, (lag) -> lag == 0);
	}

	/**
	 * Starts a sink that is slow enough to be killed while orders are in flight and
	 * others are waiting.
	 */
	private static JavaProcess startSink(int port, Certificates certificates) {
		int managementPort = Ports.free();
		return JavaProcess.jar(SINK)
			.jvmArgs("-Xmx256m")
			.args(Stream.concat(certificates.bundle("sink").stream(),
					Stream.of("spring.grpc.server.ssl.bundle=sink", "spring.grpc.server.ssl.client-auth=require",
							"spring.grpc.server.port=" + port, "server.port=" + managementPort,
							"spring.kafka.bootstrap-servers=" + harness.bootstrapServers(), "sink.store-delay=100ms"))
				.map((property) -> "--" + property)
				.toArray(String[]::new))
			.logFile(Path.of("target/grpc-sink-" + port + ".log"))
			.readyWhen(URI.create("http://127.0.0.1:" + managementPort + "/actuator/health/readiness"),
					DevServices.startTimeout())
			.start();
	}

	private static DeliveryLimiter startConsumer(int port, Certificates certificates) {
		return harness
			.startConsumer(
					Stream
						.concat(certificates.bundle("client").stream(),
								Stream.of("delivery.target=grpc", "delivery.sink-address=localhost:" + port,
										"delivery.sink-ssl-bundle=client", "delivery.concurrency=20",
										"delivery.max-attempts=3", "backend.response-timeout=1s"))
						.toArray(String[]::new))
			.getBean(DeliveryLimiter.class);
	}

	/** The orders among these that the sink's topic has, as often as it has them. */
	private static List<UUID> stored(Collection<UUID> orders) {
		return harness.records(Topics.SINK)
			.stream()
			.map((record) -> UUID.fromString(new String(record.key(), StandardCharsets.US_ASCII)))
			.filter(orders::contains)
			.toList();
	}

	private static ConditionFactory eventually() {
		return Awaitility.await().atMost(Duration.ofMinutes(3)).pollInterval(Duration.ofMillis(100));
	}

}
