package dev.sluice.backend;

import dev.sluice.devservices.DevServices;
import org.junit.jupiter.api.Tag;

import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;

/**
 * The backend with its orders in PostgreSQL. {@link BackendHttpTests} shows the same with
 * the orders in memory.
 */
@TestPropertySource(properties = { "backend.store=postgres", "backend.store-timeout=1m" })
@Tag("embedded")
@Tag("full")
class PostgresBackendIT extends BackendHttpContract {

	@DynamicPropertySource
	static void postgres(DynamicPropertyRegistry registry) {
		registry.add("spring.datasource.url", () -> DevServices.shared().postgres().jdbcUrl());
	}

}
