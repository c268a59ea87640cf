package dev.sluice.consumer.delivery;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;

import dev.sluice.consumer.ConsumerTest;
import dev.sluice.consumer.limiter.DeliveryLimiter;
import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.Topics;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Ports;
import dev.sluice.sink.Certificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static dev.sluice.consumer.ConsumerHarness.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/** {@code delivery.target=grpc} against a real Kafka and the real sink. */
class SinkDeliveryIT extends ConsumerTest {

	private static final Path SINK = Path.of("../grpc-sink/target/grpc-sink.jar");

	private static final int CONCURRENCY = 20;

	@TempDir
	private Path directory;

	@BeforeEach
	void reset() throws Exception {
		harness.reset(12);
	}

	@Test
	void storesEachOrderOverMutualTlsAndBurnsNoAttemptsWhileTheSinkIsAway() throws Exception {
		Certificates certificates = Certificates.in(this.directory);
		int port = Ports.free();
		List<UUID> orders = new ArrayList<>(harness.enqueue(200));
		try (JavaProcess sink = startSink(port, certificates)) {
			DeliveryLimiter limiter = startConsumer(port, certificates);
			eventually().until(harness::saved, (saved) -> saved > 50);

			sink.kill();
			// However many it had stored, these are delivered while it is away.
			orders.addAll(harness.enqueue(100));
			eventually().until(limiter::isOpen);
			assertThat(harness.saved()).isLessThan(300);
			try (JavaProcess _ = sink.launch().awaitReady()) {

				eventually().until(harness::saved, (saved) -> saved == 300);
			}
		}
		assertThat(stored(orders)).as("those that were not acknowledged when the sink died may be there twice")
			.containsAll(orders)
			.hasSizeLessThanOrEqualTo(orders.size() + CONCURRENCY);
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
			.jvmArgs("-Xmx256m", "-XX:+UseSerialGC")
			.args(Stream.concat(certificates.bundle("sink").stream(),
					Stream.of("spring.grpc.server.ssl.bundle=sink", "spring.grpc.server.ssl.client-auth=require",
							"spring.grpc.server.port=" + port, "server.port=" + managementPort,
							"spring.kafka.bootstrap-servers=" + harness.bootstrapServers(), "sink.store.delay=100ms"))
				.map((property) -> "--" + property)
				.toArray(String[]::new))
			.logFile(Path.of("target/grpc-sink-" + port + ".log"))
			.readyWhen(URI.create("http://127.0.0.1:" + managementPort + "/actuator/health/readiness"),
					DevServices.startTimeout())
			.launch()
			.awaitReady();
	}

	private static DeliveryLimiter startConsumer(int port, Certificates certificates) {
		return harness
			.startApplication(
					Stream
						.concat(certificates.bundle("client").stream(),
								Stream.of("delivery.target=grpc", "delivery.sink-address=localhost:" + port,
										"delivery.sink-ssl-bundle=client", "delivery.concurrency=" + CONCURRENCY,
										"delivery.max-attempts=3", "backend.response-timeout=3s"))
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

}
