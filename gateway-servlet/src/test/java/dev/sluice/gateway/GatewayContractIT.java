package dev.sluice.gateway;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.sluice.contract.GatewayContract;
import dev.sluice.contract.NoHurry;
import dev.sluice.contract.OnlyThreads;
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

/**
 * The contract, kept by each thread model. In the gate, virtual threads run all of it.
 */
class GatewayContractIT {

	/** A repeated test has the same Spring context, and so the same address. */
	private static final int BACKEND_PORT = Ports.free();

	private static final URI BACKEND = URI.create("http://127.0.0.1:" + BACKEND_PORT);

	private static JavaProcess backend;

	private static ConfigurableApplicationContext other;

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

	/** One for all thread models, because requests that wait do not wait there. */
	private static synchronized URI otherGateway() {
		if (other == null) {
			List<String> arguments = new ArrayList<>(List.of("--server.port=0", "--management.server.port=0",
					"--sluice.threads=virtual", "--sluice.max-waiters=0"));
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
		servers.put("spring.datasource.url", postgres.jdbcUrl());
		servers.put("spring.datasource.username", postgres.username());
		servers.put("spring.datasource.password", postgres.password());
		servers.put("backend.url", BACKEND.toString());
		servers.put("sluice.max-wait", "5m");
		servers.put("spring.datasource.hikari.connection-timeout", "60000");
		servers.put("spring.datasource.hikari.data-source-properties.connectTimeout", "60");
		servers.put("spring.datasource.hikari.data-source-properties.socketTimeout", "120");
		servers.put("spring.jdbc.template.query-timeout", "120s");
		return servers;
	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "sluice.threads=platform")
	@OnlyThreads
	class PlatformThreads extends Contract {

	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "sluice.threads=virtual")
	@Tag("embedded")
	class VirtualThreads extends Contract {

	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT, properties = "sluice.threads=async")
	@OnlyThreads
	class Async extends Contract {

	}

	abstract static class Contract extends GatewayContract {

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
			return "/gateway-servlet";
		}

	}

}
