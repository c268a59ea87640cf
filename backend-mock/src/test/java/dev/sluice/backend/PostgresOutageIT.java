package dev.sluice.backend;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import dev.sluice.contract.BackendAudit;
import dev.sluice.devservices.Breakable;
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The backend with its orders in a PostgreSQL that the tests break. Its limit on time is
 * short, so any request may get 503 on a slow machine: requests that must succeed are
 * repeated, as clients do.
 */
@TestPropertySource(properties = { "backend.store=postgres", "spring.datasource.hikari.maximum-pool-size=2" })
@DirtiesContext
@Tag("embedded")
class PostgresOutageIT extends BackendHttp {

	private static DevServices services;

	@DynamicPropertySource
	static void postgres(DynamicPropertyRegistry registry) {
		services = DevServices.start(Infrastructure.fromEnvironment());
		registry.add("spring.datasource.url", services.postgres()::jdbcUrl);
	}

	@AfterAll
	static void stop() {
		if (services != null) {
			services.close();
		}
	}

	@Test
	void refusesWhatTheDatabaseDoesNotSaveInTimeAndSavesNothingOfIt() throws Exception {
		UUID id = UUID.randomUUID();
		save(id);
		try (Connection connection = DriverManager.getConnection(services.postgres().jdbcUrl(),
				services.postgres().username(), services.postgres().password());
				Statement statement = connection.createStatement()) {
			connection.setAutoCommit(false);
			statement.execute("lock table backend.saved_order in exclusive mode");

			// More than there are connections.
			try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
				List<Future<?>> answers = Stream.of(id, UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID())
					.<Future<?>>map((each) -> clients.submit(() -> expectUnavailable(post(each, ORDER))))
					.toList();
				for (Future<?> answer : answers) {
					answer.get();
				}
			}
			connection.rollback();
		}

		save(id);
		BackendAudit audit = stored();
		assertThat(audit.saved()).isEqualTo(1);
		assertThat(audit.failed()).isGreaterThanOrEqualTo(4);
		assertThat(audit.duplicates()).isPositive();
		assertThat(audit.received()).isEqualTo(audit.saved() + audit.duplicates() + audit.failed());
		assertThat(audit.inFlight()).isZero();
	}

	@Test
	void refusesWhileTheDatabaseIsAwayAndForgetsNothing() {
		Breakable postgres = services.postgres().server();
		UUID id = UUID.randomUUID();
		save(id);

		postgres.kill();
		expectUnavailable(post(UUID.randomUUID(), ORDER));
		expectUnavailable(this.client.get().uri("/orders/{id}", id).exchange());
		expectUnavailable(this.client.get().uri("/orders/count").exchange());
		expectUnavailable(this.client.get().uri("/audit").exchange());
		expectUnavailable(this.client.delete().uri("/audit").exchange());
		this.client.get().uri("/actuator/health/readiness").exchange().expectStatus().isOk();
		postgres.start();

		await().untilAsserted(() -> this.client.get().uri("/orders/{id}", id).exchange().expectStatus().isOk());
		assertThat(stored().saved()).isEqualTo(1);
		assertThat(save(id)).isEqualTo(HttpStatus.OK);
	}

	@Test
	void showsThePoolOfConnections() {
		this.client.get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectBody(String.class)
			.value((scrape) -> assertThat(scrape).contains("hikaricp_connections_max{pool=\"store\"} 2.0"));
	}

	/** Returns 201, or 200 if it was saved before. */
	private HttpStatusCode save(UUID id) {
		return await().until(() -> post(id, ORDER).expectBody(String.class).returnResult().getStatus(),
				(status) -> !status.equals(HttpStatus.SERVICE_UNAVAILABLE));
	}

	private BackendAudit stored() {
		return await().ignoreException(AssertionError.class).until(this::audit, (_) -> true);
	}

	private static void expectUnavailable(WebTestClient.ResponseSpec response) {
		response.expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

}
