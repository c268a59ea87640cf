package dev.sluice.gateway;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.GatewayContract;
import dev.sluice.contract.NoHurry;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Ports;
import dev.sluice.devservices.PostgresService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** The contract, kept by event loops. */
@Tag("embedded")
class GatewayContractIT {

	/** A repeated test has the same Spring context, and so the same address. */
	private static final int BACKEND_PORT = Ports.free();

	private static final URI BACKEND = URI.create("http://127.0.0.1:" + BACKEND_PORT);

	private static JavaProcess backend;

	private static ConfigurableApplicationContext other;

	@BeforeAll
	static void detectBlockedEventLoops() {
		BlockedEventLoops.detect();
	}

	@AfterAll
	static void noEventLoopWasBlocked() {
		assertThat(BlockedEventLoops.found()).isEmpty();
	}

	@BeforeAll
	static void startBackend() {
		backend = JavaProcess.jar(Path.of("../backend-mock/target/backend-mock.jar"))
			.property("server.port", BACKEND_PORT)
			.logFile(Path.of("target/backend-mock.log"))
			.readyWhen(BACKEND.resolve("/actuator/health/readiness"), DevServices.startTimeout())
			.launch()
			.awaitReady();
	}

	@AfterAll
	static void stopBackend() {
		if (backend != null) {
			backend.close();
		}
	}

	private static synchronized URI otherGateway() {
		if (other == null) {
			List<String> arguments = new ArrayList<>(
					List.of("--server.port=0", "--management.server.port=0", "--sluice.max-waiters=0"));
			servers().forEach((name, value) -> arguments.add("--" + name + "=" + value));
			other = SpringApplication.run(GatewayApplication.class, arguments.toArray(String[]::new));
		}
		return URI.create("http://127.0.0.1:" + other.getEnvironment().getProperty("local.server.port"));
	}

	@AfterAll
	static void stopOther() {
		if (other != null) {
			other.close();
			other = null;
		}
	}

	@DynamicPropertySource
	static void servers(DynamicPropertyRegistry registry) {
		servers().forEach((name, value) -> registry.add(name, () -> value));
	}

	private static Map<String, String> servers() {
		PostgresService postgres = DevServices.shared().postgres();
		Map<String, String> servers = NoHurry.properties();
		servers.put("spring.kafka.bootstrap-servers", DevServices.shared().kafka().bootstrapServers());
		servers.put("spring.r2dbc.url", postgres.r2dbcUrl());
		servers.put("spring.r2dbc.username", postgres.username());
		servers.put("spring.r2dbc.password", postgres.password());
		servers.put("spring.flyway.url", postgres.jdbcUrl());
		servers.put("spring.flyway.user", postgres.username());
		servers.put("spring.flyway.password", postgres.password());
		servers.put("backend.url", BACKEND.toString());
		servers.put("sluice.max-wait", "5m");
		servers.put("spring.r2dbc.pool.max-acquire-time", "1m");
		servers.put("spring.r2dbc.pool.max-create-connection-time", "1m");
		return servers;
	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
	class EventLoops extends GatewayContract {

		@Override
		protected URI otherGateway() {
			return GatewayContractIT.otherGateway();
		}

		@Override
		protected URI backend() {
			return BACKEND;
		}

		@Override
		protected String source() {
			return "/gateway-reactive";
		}

	}

}
