package dev.sluice.lab.kit.load;

import java.util.concurrent.atomic.AtomicInteger;

import io.gatling.javaapi.core.Simulation;

import static io.gatling.javaapi.core.CoreDsl.StringBody;
import static io.gatling.javaapi.core.CoreDsl.atOnceUsers;
import static io.gatling.javaapi.core.CoreDsl.repeat;
import static io.gatling.javaapi.core.CoreDsl.scenario;
import static io.gatling.javaapi.http.HttpDsl.http;
import static io.gatling.javaapi.http.HttpDsl.status;

/**
 * Sends the same requests as {@link OrdersSimulation} without the lab's code around them:
 * no supply of orders, no retries, no phases. The cost of a request here is Gatling's
 * own; {@code load-tests/scripts/generator-cost.sh} compares the cost in the lab with it.
 * Takes {@code gateway.url}, {@code orders} and {@code users}, like
 * {@link OrdersSimulation}.
 */
public final class BareSimulation extends Simulation {

	public BareSimulation() {
		int users = Integer.getInteger("users", 50);
		int each = Integer.getInteger("orders", 10_000) / users;
		String token = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
		AtomicInteger next = new AtomicInteger();
		setUp(scenario("bare").exec(repeat(each).on(http("order").post("/orders")
			.header("Idempotency-Key", (_) -> "\"" + token + next.incrementAndGet() + "\"")
			.body(StringBody(
					"{\"customerId\":\"customer-1\",\"items\":[{\"sku\":\"sku-1\",\"quantity\":2,\"unitPrice\":{\"amount\":\"19.99\",\"currency\":\"EUR\"}},{\"sku\":\"sku-2\",\"quantity\":1,\"unitPrice\":{\"amount\":\"5.00\",\"currency\":\"EUR\"}}]}"))
			.check(status().in(201, 202)))).injectOpen(atOnceUsers(users)))
			.protocols(http.baseUrl(System.getProperty("gateway.url", "http://127.0.0.1:8080"))
				.acceptHeader("application/json, application/problem+json")
				.contentTypeHeader("application/json")
				.shareConnections()
				.disableWarmUp());
	}

}
