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
import dev.sluice.devservices.DevServices;
import dev.sluice.devservices.Infrastructure;
import dev.sluice.devservices.PostgresService;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The backend with its orders in PostgreSQL, which some tests break. */
@TestPropertySource(properties = { "backend.store=postgres", "backend.store-pool-size=2", "backend.store-timeout=1s" })
@DirtiesContext
@Tag("embedded")
class PostgresBackendIT extends BackendHttpContract {

	private static DevServices services;

	@DynamicPropertySource
	static void postgres(DynamicPropertyRegistry registry) {
		services = DevServices.start(Infrastructure.fromEnvironment());
		registry.add("spring.datasource.url", services.postgres()::jdbcUrl);
	}

	@AfterAll
	static void stop() {
		services.close();
	}

	@Test
	void refusesWhatTheDatabaseDoesNotSaveInTimeAndSavesNothingOfIt() throws Exception {
		UUID id = UUID.randomUUID();
		post(id, ORDER).expectStatus().isCreated();
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

		post(id, ORDER).expectStatus().isOk();
		assertThat(audit())
			.extracting(BackendAudit::received, BackendAudit::saved, BackendAudit::duplicates, BackendAudit::failed,
					BackendAudit::inFlight)
			.containsExactly(6L, 1L, 1L, 4L, 0);
	}

	@Test
	void refusesWhileTheDatabaseIsAwayAndForgetsNothing() {
		PostgresService postgres = services.postgres();
		UUID id = UUID.randomUUID();
		post(id, ORDER).expectStatus().isCreated();

		postgres.kill();
		expectUnavailable(post(UUID.randomUUID(), ORDER));
		expectUnavailable(this.client.get().uri("/orders/{id}", id).exchange());
		expectUnavailable(this.client.get().uri("/orders/count").exchange());
		expectUnavailable(this.client.get().uri("/audit").exchange());
		expectUnavailable(this.client.delete().uri("/audit").exchange());
		this.client.get().uri("/actuator/health/readiness").exchange().expectStatus().isOk();
		postgres.start();

		await().atMost(DEADLINE)
			.untilAsserted(() -> this.client.get().uri("/orders/{id}", id).exchange().expectStatus().isOk());
		assertThat(audit().saved()).isEqualTo(1);
		post(id, ORDER).expectStatus().isOk();
	}

	@Test
	void showsThePoolOfConnections() {
		this.client.get()
			.uri("/actuator/prometheus")
			.exchange()
			.expectBody(String.class)
			.value((scrape) -> assertThat(scrape).contains("hikaricp_connections_max{pool=\"store\"} 2.0"));
	}

	private static void expectUnavailable(WebTestClient.ResponseSpec response) {
		response.expectStatus()
			.isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

}
