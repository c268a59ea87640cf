package dev.sluice.backend;

import java.util.UUID;

import org.junit.jupiter.api.Test;

import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.context.TestPropertySource;

/** The backend with its orders in memory. */
@TestPropertySource(properties = "backend.max-orders=100")
class BackendHttpTests extends BackendHttpContract {

	@Test
	void refusesNewOrdersWhenTheStoreIsFull() {
		for (int i = 0; i < 100; i++) {
			post(UUID.randomUUID(), ORDER).expectStatus().isCreated();
		}

		post(UUID.randomUUID(), ORDER).expectStatus()
			.isEqualTo(HttpStatus.INSUFFICIENT_STORAGE)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

}
