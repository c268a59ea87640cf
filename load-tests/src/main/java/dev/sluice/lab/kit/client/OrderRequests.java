package dev.sluice.lab.kit.client;

import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import dev.sluice.contract.HttpNames;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.plan.SampleOrder;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** Orders of many customers, each with a key of its own. */
public final class OrderRequests implements IntFunction<HttpRequest> {

	private static final int CUSTOMERS = 1_000;

	private static final Duration TIMEOUT = Duration.ofSeconds(15);

	private static final List<byte[]> BODIES = IntStream.range(0, CUSTOMERS)
		.mapToObj((customer) -> JsonMapper.shared()
			.writeValueAsBytes(SampleOrder.of("customer-" + customer, "sku-" + customer % 97, 2)))
		.toList();

	private final URI orders;

	private final Mode mode;

	private final String prefix;

	private final @Nullable String authorization;

	/**
	 * @param prefix of the keys, never used before at this system
	 * @param authorization the header of that name; null to send none
	 */
	public OrderRequests(URI gateway, Mode mode, String prefix, @Nullable String authorization) {
		this.orders = gateway.resolve("/orders");
		this.mode = mode;
		this.prefix = prefix;
		this.authorization = authorization;
	}

	/** A prefix that no run before has had. */
	public static String unused(String experiment) {
		return "%s-%s-%s".formatted(experiment, Long.toString(System.currentTimeMillis(), Character.MAX_RADIX),
				Long.toString(ThreadLocalRandom.current().nextLong(1 << 30), Character.MAX_RADIX));
	}

	@Override
	public HttpRequest apply(int number) {
		HttpRequest.Builder request = HttpRequest.newBuilder(this.orders)
			.timeout(TIMEOUT)
			.header("Content-Type", "application/json")
			.header(HttpNames.IDEMPOTENCY_KEY, "\"%s-%s\"".formatted(this.prefix, number))
			.POST(BodyPublishers.ofByteArray(BODIES.get(number % CUSTOMERS)));
		if (this.authorization != null) {
			request.header("Authorization", this.authorization);
		}
		return switch (this.mode) {
			case SYNC -> request.build();
			case QUEUED -> request.header(HttpNames.PREFER, HttpNames.RESPOND_ASYNC).build();
		};
	}

}
