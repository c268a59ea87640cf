package dev.sluice.gateway;

import java.net.URI;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

import dev.sluice.contract.GatewayContract;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.JavaProcess;
import dev.sluice.devservices.Ports;
import dev.sluice.devservices.PostgresService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The contract, kept by event loops. */
class GatewayContractIT {

	private static final int BACKEND_PORT = Ports.free();

	private static final URI BACKEND = URI.create("http://127.0.0.1:" + BACKEND_PORT);

	private static JavaProcess backend;

	@BeforeAll
	static void startBackend() {
		backend = JavaProcess.jar(Path.of("../backend-mock/target/backend-mock.jar"))
			.property("server.port", BACKEND_PORT)
			.logFile(Path.of("target/backend-mock.log"))
			.readyWhen(BACKEND.resolve("/actuator/health/readiness"), Duration.ofSeconds(60))
			.start();
	}

	@AfterAll
	static void stopBackend() {
		backend.close();
	}

	@DynamicPropertySource
	static void servers(DynamicPropertyRegistry registry) {
		PostgresService postgres = DevServices.shared().postgres();
		registry.add("spring.kafka.bootstrap-servers", DevServices.shared().kafka()::bootstrapServers);
		registry.add("spring.r2dbc.url", postgres::r2dbcUrl);
		registry.add("spring.r2dbc.username", postgres::username);
		registry.add("spring.r2dbc.password", postgres::password);
		registry.add("spring.flyway.url", postgres::jdbcUrl);
		registry.add("spring.flyway.user", postgres::username);
		registry.add("spring.flyway.password", postgres::password);
		registry.add("backend.url", () -> BACKEND);
		registry.add("backend.response-timeout", () -> "3s");
	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
	class EventLoops extends GatewayContract {

		@LocalServerPort
		private int port;

		@Override
		protected URI gateway() {
			return URI.create("http://127.0.0.1:" + this.port);
		}

		@Override
		protected URI backend() {
			return BACKEND;
		}

		@Override
		protected String bootstrapServers() {
			return DevServices.shared().kafka().bootstrapServers();
		}

		@Override
		protected Connection database() throws SQLException {
			PostgresService postgres = DevServices.shared().postgres();
			return DriverManager.getConnection(postgres.jdbcUrl(), postgres.username(), postgres.password());
		}

		@Override
		protected String source() {
			return "/gateway-reactive";
		}

	}

}
