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
@TestPropertySource(properties = { "backend.store=postgres", "spring.datasource.hikari.connection-timeout=60000",
		"spring.datasource.hikari.data-source-properties.options=-c statement_timeout=60000",
		"spring.datasource.hikari.data-source-properties.socketTimeout=60" })
@Tag("embedded")
@Tag("full")
class PostgresBackendIT extends BackendHttpContract {

	@DynamicPropertySource
	static void postgres(DynamicPropertyRegistry registry) {
		registry.add("spring.datasource.url", () -> DevServices.shared().postgres().jdbcUrl());
	}

}
