package dev.sluice.lab.kit.client;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;

import dev.sluice.contract.HttpNames;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.OrderIdentity;
import org.jspecify.annotations.Nullable;

/**
 * Orders of many customers.
 *
 * @param gateway base URI of where they go
 * @param identity with keys that were never used before at this system; null to send none
 * @param authorization the header of that name; null to send none
 */
public record OrderRequests(URI gateway, Mode mode, @Nullable OrderIdentity identity,
		@Nullable String authorization) implements IntFunction<HttpRequest> {

	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	/** Keys that no run before has had. */
	public static OrderIdentity unused(String experiment) {
		return new OrderIdentity(
				"%s-%s-%s".formatted(experiment, Long.toString(System.currentTimeMillis(), Character.MAX_RADIX),
						Long.toString(ThreadLocalRandom.current().nextLong(1 << 30), Character.MAX_RADIX)));
	}

	@Override
	public HttpRequest apply(int number) {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.gateway.resolve("/orders"))
			.timeout(TIMEOUT)
			.POST(BodyPublishers.ofString(OrderIdentity.body(number, 1)));
		headers(number).forEach(request::header);
		return request.build();
	}

	/** The same order as the bytes of an HTTP/1.1 request. */
	public byte[] bytes(int number) {
		String body = OrderIdentity.body(number, 1);
		StringBuilder request = new StringBuilder("POST /orders HTTP/1.1\r\n");
		request.append("Host: ").append(this.gateway.getAuthority()).append("\r\n");
		request.append("Content-Length: ").append(body.length()).append("\r\n");
		headers(number).forEach((name, value) -> request.append(name).append(": ").append(value).append("\r\n"));
		return request.append("\r\n").append(body).toString().getBytes(StandardCharsets.US_ASCII);
	}

	private Map<String, String> headers(int number) {
		Map<String, String> headers = new LinkedHashMap<>();
		headers.put("Content-Type", "application/json");
		if (this.mode == Mode.QUEUED) {
			headers.put(HttpNames.PREFER, HttpNames.RESPOND_ASYNC);
		}
		if (this.identity != null) {
			headers.put(HttpNames.IDEMPOTENCY_KEY, '"' + this.identity.key(number) + '"');
		}
		if (this.authorization != null) {
			headers.put("Authorization", this.authorization);
		}
		return headers;
	}

}
