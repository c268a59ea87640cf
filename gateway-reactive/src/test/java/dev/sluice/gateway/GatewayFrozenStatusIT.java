package dev.sluice.gateway;

import java.net.ServerSocket;

import dev.sluice.contract.GatewayFrozenStatusContract;
import dev.sluice.contract.NoHurry;
import dev.sluice.devservices.DevServices;
import org.junit.jupiter.api.Nested;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** A frozen PostgreSQL, and queries that are not sent in time. */
class GatewayFrozenStatusIT {

	/** Stays open, because a repeated test has the same Spring context. */
	private static final ServerSocket POSTGRES = GatewayFrozenStatusContract.frozenServer();

	@DynamicPropertySource
	static void servers(DynamicPropertyRegistry registry) {
		NoHurry.KAFKA.forEach((name, value) -> registry.add(name, () -> value));
		registry.add("spring.kafka.bootstrap-servers", DevServices.shared().kafka()::bootstrapServers);
		registry.add("spring.r2dbc.url", () -> "r2dbc:postgresql://127.0.0.1:" + POSTGRES.getLocalPort() + "/sluice");
		registry.add("spring.flyway.enabled", () -> false);
		GatewayFrozenStatusContract.backend().forEach((name, value) -> registry.add(name, () -> value));
	}

	@Nested
	@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
	class EventLoops extends GatewayFrozenStatusContract {

	}

}
