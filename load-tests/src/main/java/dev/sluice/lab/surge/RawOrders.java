package dev.sluice.lab.surge;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import dev.sluice.contract.HttpNames;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.SampleOrder;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/**
 * Orders of many customers as the bytes of HTTP/1.1 requests.
 *
 * @param gateway where they go
 * @param keyPrefix of the idempotency keys, never used before; null to send none
 */
record RawOrders(URI gateway, Mode mode, @Nullable String keyPrefix) implements IntFunction<byte[]> {

	private static final int CUSTOMERS = 1_000;

	private static final List<String> BODIES = IntStream.range(0, CUSTOMERS)
		.mapToObj((customer) -> JsonMapper.shared().writeValueAsString(SampleOrder.of("customer-" + customer)))
		.toList();

	@Override
	public byte[] apply(int number) {
		String body = BODIES.get(number % CUSTOMERS);
		StringBuilder request = new StringBuilder("POST /orders HTTP/1.1\r\nHost: ").append(this.gateway.getAuthority())
			.append("\r\nContent-Type: application/json\r\nContent-Length: ")
			.append(body.length())
			.append("\r\n");
		if (this.mode == Mode.QUEUED) {
			request.append(HttpNames.PREFER).append(": ").append(HttpNames.RESPOND_ASYNC).append("\r\n");
		}
		if (this.keyPrefix != null) {
			request.append(HttpNames.IDEMPOTENCY_KEY)
				.append(": \"")
				.append(this.keyPrefix)
				.append('-')
				.append(number)
				.append("\"\r\n");
		}
		return request.append("\r\n").append(body).toString().getBytes(StandardCharsets.US_ASCII);
	}

}
