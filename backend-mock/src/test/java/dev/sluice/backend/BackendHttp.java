package dev.sluice.backend;

import java.time.Duration;
import java.util.UUID;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.contract.BackendBehaviour.Delay;
import dev.sluice.devservices.Patience;
import org.junit.jupiter.api.BeforeEach;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

import static org.awaitility.Awaitility.await;

/** A backend and a client of it. Each test begins without orders. */
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
abstract class BackendHttp {

	static final Duration DEADLINE = Patience.ofSeconds(60);

	static final BackendBehaviour AT_ONCE = BackendBehaviour.DEFAULT.withDelay(new Delay.Fixed(0));

	static final String ORDER = """
			{"customerId":"c-1","items":[{"sku":"a","quantity":2,"unitPrice":{"amount":"1.50","currency":"EUR"}}]}""";

	final JsonMapper json = JsonMapper.shared();

	@LocalServerPort
	int port;

	WebTestClient client;

	@BeforeEach
	void startAfresh() {
		this.client = WebTestClient.bindToServer()
			.baseUrl("http://127.0.0.1:" + this.port)
			.responseTimeout(DEADLINE)
			// Reads each body: otherwise those that a test ignores would leak.
			.filter((request, next) -> next.exchange(request)
				.flatMap((response) -> response.bodyToMono(String.class)
					.defaultIfEmpty("")
					.map((body) -> response.mutate().body(body).build())))
			.build();
		behave(AT_ONCE);
		// A database may take longer than the backend waits for its first connections.
		await().untilAsserted(() -> this.client.delete().uri("/audit").exchange().expectStatus().isNoContent());
	}

	WebTestClient.ResponseSpec post(UUID id, String body) {
		return this.client.post()
			.uri("/orders")
			.header("Idempotency-Key", "\"" + id + "\"")
			.contentType(MediaType.APPLICATION_JSON)
			.bodyValue(body)
			.exchange();
	}

	void behave(BackendBehaviour behaviour) {
		putBehaviour(this.json.writeValueAsString(behaviour)).expectStatus().isOk();
	}

	WebTestClient.ResponseSpec putBehaviour(String body) {
		return this.client.put().uri("/behaviour").contentType(MediaType.APPLICATION_JSON).bodyValue(body).exchange();
	}

	BackendAudit audit() {
		return this.client.get()
			.uri("/audit")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(BackendAudit.class)
			.returnResult()
			.getResponseBody();
	}

}
