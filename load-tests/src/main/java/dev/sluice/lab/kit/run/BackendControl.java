package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

import dev.sluice.contract.BackendAudit;
import dev.sluice.contract.BackendBehaviour;
import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.LabException;
import tools.jackson.databind.json.JsonMapper;

/**
 * Controls the backend and reads its state. A backend that does not answer within 5 s
 * (times {@link Patience}), or refuses, causes a {@link LabException}. Thread-safe.
 *
 * @param uri the backend's, without a path
 */
public record BackendControl(URI uri) {

	private static final Duration TIMEOUT = Duration.ofSeconds(5);

	private static final JsonMapper JSON = JsonMapper.shared();

	/** Sets its behaviour. */
	public void behave(BackendBehaviour behaviour) throws InterruptedException {
		send("/behaviour", "PUT", BodyPublishers.ofString(JSON.writeValueAsString(behaviour)), BodyHandlers.ofString());
	}

	/** Its audit. */
	public BackendAudit audit() throws InterruptedException {
		return JSON.readValue(get("/audit"), BackendAudit.class);
	}

	/** Clears its orders and its counts. */
	public void forget() throws InterruptedException {
		send("/audit", "DELETE", BodyPublishers.noBody(), BodyHandlers.ofString());
	}

	/** The number of orders that it has saved. */
	public long saved() throws InterruptedException {
		return JSON.readTree(get("/orders/count")).path("saved").longValue();
	}

	/** When it saved each order: by id, in microseconds since 1970. */
	public Map<UUID, Long> savedMicros() throws InterruptedException {
		ByteBuffer bytes = ByteBuffer
			.wrap(send("/audit/orders", "GET", BodyPublishers.noBody(), BodyHandlers.ofByteArray()));
		Map<UUID, Long> micros = new HashMap<>();
		while (bytes.remaining() >= 3 * Long.BYTES) {
			micros.put(new UUID(bytes.getLong(), bytes.getLong()), bytes.getLong());
		}
		return micros;
	}

	/** The number of orders that it has saved; 0 if it does not answer. */
	public long savedIfKnown() throws InterruptedException {
		try {
			return saved();
		}
		catch (LabException _) {
			return 0;
		}
	}

	private String get(String path) throws InterruptedException {
		return send(path, "GET", BodyPublishers.noBody(), BodyHandlers.ofString());
	}

	private <T> T send(String path, String method, BodyPublisher body, BodyHandler<T> handler)
			throws InterruptedException {
		try {
			HttpResponse<T> answer = Http.CLIENT.send(HttpRequest.newBuilder(this.uri.resolve(path))
				.timeout(Patience.of(TIMEOUT))
				.header("Content-Type", "application/json")
				.method(method, body)
				.build(), handler);
			if (answer.statusCode() >= 300) {
				throw new LabException(
						"The backend refuses %s %s: %s %s".formatted(method, path, answer.statusCode(), answer.body()));
			}
			return answer.body();
		}
		catch (IOException ex) {
			throw new LabException("The backend does not answer: " + ex, ex);
		}
	}

}
