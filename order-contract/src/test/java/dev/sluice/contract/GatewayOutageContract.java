package dev.sluice.contract;

import java.net.http.HttpResponse;
import java.util.UUID;

import com.jayway.jsonpath.JsonPath;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * How every gateway behaves that was started while Kafka, PostgreSQL and the backend were
 * all down: it runs, and answers at once what it cannot do.
 */
public abstract class GatewayOutageContract extends RunningGateway {

	@Test
	void isAliveButNotReady() throws Exception {
		assertThat(manage("/actuator/health/liveness").statusCode()).isEqualTo(200);
		assertThat(manage("/actuator/health/readiness").statusCode()).isEqualTo(503);
		assertThat(JsonPath.<String>read(manage("/actuator/health").body(), "$.components.queue.status"))
			.isEqualTo("DOWN");
	}

	@Test
	void saysThatTheBackendIsUnavailable() throws Exception {
		HttpResponse<String> response = post(ORDER);

		assertProblem(response, 503, "backend-unavailable");
		assertPlaced(response, "unknown");
	}

	@Test
	void saysThatTheQueueIsUnavailableAndHasTakenNothing() throws Exception {
		HttpResponse<String> response = post(ORDER, "Prefer", "respond-async");

		assertProblem(response, 503, "queue-unavailable");
		assertPlaced(response, "no");
	}

	/** PostgreSQL is down too, so it is unknown what the key was used for. */
	@Test
	void refusesSyncOrdersWhoseKeyCannotBeLookedUp() throws Exception {
		HttpResponse<String> response = post(ORDER, "Idempotency-Key", "\"a key\"");

		assertProblem(response, 503, "status-unavailable");
		assertPlaced(response, "no");
	}

	@Test
	void saysThatTheStatusIsUnavailable() throws Exception {
		assertProblem(get("/orders/" + UUID.randomUUID()), 503, "status-unavailable");
		assertProblem(get("/orders?status=failed"), 503, "status-unavailable");
		HttpResponse<String> redelivery = redeliver(UUID.randomUUID());
		assertProblem(redelivery, 503, "status-unavailable");
		assertPlaced(redelivery, "no");
	}

	/** The gateway's limit is 5 orders at once, and one every 100 s. */
	@Test
	void refusesOneCustomersOrdersBeyondTheLimit() throws Exception {
		String order = ORDER.replace("c-1", "c-eager");
		for (int i = 0; i < 5; i++) {
			assertThat(post(order).statusCode()).isEqualTo(503);
		}

		HttpResponse<String> response = post(order);

		assertProblem(response, 429, "too-many-requests");
		assertThat(Integer.parseInt(header(response, "Retry-After").orElse(""))).isBetween(1, 100);
		assertPlaced(response, "no");
		assertThat(post(ORDER.replace("c-1", "c-patient")).statusCode()).isEqualTo(503);
	}

	@Test
	void stillSaysWhatIsWrongWithARequest() throws Exception {
		assertThat(get("/orders/1").statusCode()).isEqualTo(400);
		assertThat(get("/nothing").statusCode()).isEqualTo(404);
	}

}
