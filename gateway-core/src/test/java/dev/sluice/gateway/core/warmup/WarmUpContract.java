package dev.sluice.gateway.core.warmup;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Patience;
import dev.sluice.devservices.Ports;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** How every gateway warms up. Nothing listens on port 1, so Kafka is not there. */
public abstract class WarmUpContract {

	private static final Duration DEADLINE = Patience.of(Duration.ofMinutes(1));

	private final Class<?> application;

	@TempDir
	private Path directory;

	protected WarmUpContract(Class<?> application) {
		this.application = application;
	}

	@Test
	void processesOrdersAndLeavesNothing() throws Exception {
		int port = Ports.free();
		try (JavaProcess gateway = gateway("1s").property("management.server.port", port)
			.readyWhenLogged("Warmed up with", DevServices.startTimeout())
			.launch()
			.awaitReady()) {

			assertThat(Files.readString(gateway.logFile())).containsOnlyOnce("Started GatewayApplication")
				.containsOnlyOnce("sluice.max-connections");
			assertThat(metrics(port)).contains("sluice_orders_in_flight")
				.doesNotContain("sluice_orders_total{", "uri=\"/orders\"");
		}
	}

	private static String metrics(int port) throws Exception {
		try (HttpClient client = HttpClient.newHttpClient()) {
			URI uri = URI.create("http://127.0.0.1:%s/actuator/prometheus".formatted(port));
			return client.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString()).body();
		}
	}

	@Test
	void endsAtASignal() throws Exception {
		Path classes = this.directory.resolve("classes");
		try (JavaProcess gateway = gateway("1h").jvmArgs("-Xlog:class+load:file=" + classes).launch().awaitReady()) {
			await("the first order is acknowledged").atMost(DevServices.startTimeout())
				.until(() -> Files.exists(classes)
						&& Files.readString(classes).contains("NothingBehind$Acknowledging"));

			gateway.terminate();

			await().atMost(DEADLINE).until(() -> !gateway.isAlive());
			assertThat(Files.readString(gateway.logFile())).doesNotContain("GatewayApplication");
		}
	}

	@Test
	void leavesAFailureToTheGateway() throws Exception {
		try (JavaProcess gateway = gateway("1s").property("queue.timeout", "-1s").launch().awaitReady()) {
			await().atMost(DevServices.startTimeout()).until(() -> !gateway.isAlive());

			assertThat(Files.readString(gateway.logFile())).containsOnlyOnce("APPLICATION FAILED TO START");
		}
	}

	@Test
	void isOffWithoutTime() {
		assertThat(WarmUp.run(this.application, "--sluice.warm-up=0s").orders()).isZero();
	}

	@Test
	void isOffIfItsTimeIsInvalid() {
		assertThat(WarmUp.run(this.application, "--sluice.warm-up=long").orders()).isZero();
	}

	private JavaProcess gateway(String warmUp) {
		return JavaProcess.mainClass(this.application.getName())
			.jvmArgs("-Xmx256m", "-XX:TieredStopAtLevel=1")
			.logFile(this.directory.resolve("gateway.log"))
			.property("sluice.warm-up", warmUp)
			.property("server.port", 0)
			// On the class path of the tests.
			.property("spring.flyway.enabled", false)
			.property("spring.kafka.bootstrap-servers", "127.0.0.1:1");
	}

}
