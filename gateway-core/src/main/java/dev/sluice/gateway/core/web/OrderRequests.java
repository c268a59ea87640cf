package dev.sluice.gateway.core.web;

import java.util.UUID;
import java.util.regex.Pattern;

import dev.sluice.contract.Fingerprint;
import dev.sluice.contract.HttpNames;
import dev.sluice.contract.Order;
import dev.sluice.contract.OrderHeaders;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.limit.ClientLimit;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import dev.sluice.gateway.core.order.Prefer;
import dev.sluice.gateway.core.order.ValidOrder;
import dev.sluice.gateway.core.problem.ProblemException;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.ErrorResponseException;

/** Makes an {@link OrderRequest} from the headers and the body of a request. */
@Component
public record OrderRequests(GatewayProperties properties, OrderCodec codec, ClientLimit clientLimit, OrderIds ids) {

	/**
	 * The client's trace context (W3C), which is passed on and never created here. An
	 * invalid one is ignored.
	 */
	private static final Pattern TRACEPARENT = Pattern
		.compile("(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}");

	/**
	 * Reads how the client prefers to be answered. Unknown preferences are ignored.
	 * @throws ErrorResponseException if the body is compressed
	 */
	public Prefer prefer(HttpHeaders headers) {
		if (!headers.getOrEmpty(HttpHeaders.CONTENT_ENCODING).stream().allMatch("identity"::equalsIgnoreCase)) {
			ErrorResponseException refused = new ErrorResponseException(HttpStatus.UNSUPPORTED_MEDIA_TYPE);
			refused.getHeaders().set(HttpHeaders.ACCEPT_ENCODING, "identity");
			throw refused;
		}
		return Prefer.parse(headers.getOrEmpty(HttpNames.PREFER), this.properties.defaultMode(),
				this.properties.maxWait());
	}

	/**
	 * Reads the order and gives it its id.
	 * @param prefer how the client prefers to be answered
	 * @param http the request
	 * @return the request
	 * @throws ProblemException if the idempotency key cannot be read, the order is not
	 * valid, or its customer has placed too many
	 */
	public OrderRequest read(Prefer prefer, HttpEntity<byte[]> http) {
		HttpHeaders headers = http.getHeaders();
		byte[] body = http.getBody();
		IdempotencyKey key = IdempotencyKey.parse(headers.getOrEmpty(HttpNames.IDEMPOTENCY_KEY));
		String trace = String.join(",", headers.getOrEmpty(OrderHeaders.TRACEPARENT));
		String traceparent = TRACEPARENT.matcher(trace).matches() ? trace : null;
		Order order = this.codec.decode((body != null) ? body : new byte[0]);
		byte[] json = this.codec.encode(order);
		this.clientLimit.check(order.customerId());
		UUID id = this.ids.idOf(order.customerId(), key);
		Fingerprint fingerprint = (key != null) ? Fingerprint.ofJson(json) : null;
		return new OrderRequest(new ValidOrder(id, order, json, fingerprint, traceparent), key, prefer);
	}

}
