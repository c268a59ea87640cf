package dev.sluice.gateway.core.web;

import java.nio.charset.StandardCharsets;
import java.time.Duration;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.limit.ClientLimit;
import dev.sluice.gateway.core.order.Mode;
import dev.sluice.gateway.core.order.OrderCodec;
import dev.sluice.gateway.core.order.OrderIds;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;

import static org.assertj.core.api.Assertions.assertThat;

class OrderRequestsTests {

	private static final String TRACE = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

	private static final byte[] BODY = """
			{ "customerId": "c-1",
			  "items": [{"sku":"tea","quantity":2,"unitPrice":{"amount":"9.90","currency":"EUR"}}] }"""
		.getBytes(StandardCharsets.UTF_8);

	private final HttpHeaders headers = new HttpHeaders();

	@Test
	void hasTheDefaultModeWithoutAPreference() {
		assertThat(read(requests(Mode.SYNC)).mode()).isEqualTo(Mode.SYNC);
		assertThat(read(requests(Mode.QUEUED)).mode()).isEqualTo(Mode.QUEUED);
	}

	@Test
	void waitsForNoOutcomeOfASyncOrder() {
		this.headers.add("Prefer", "wait=5");

		assertThat(read(requests(Mode.SYNC)).waitsForOutcome()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
			"00-00000000000000000000000000000000-00f067aa0ba902b7-01",
			"00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
			"00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01", TRACE + "-x", TRACE + "\n" + TRACE })
	void passesNoTraceOnThatIsNotValid(String lines) {
		lines.lines().forEach((line) -> this.headers.add("traceparent", line));

		assertThat(read(requests(Mode.SYNC)).order().traceparent()).isNull();
	}

	@Test
	void noOtherOrderHasTheIdOfOneWithoutAKey() {
		OrderRequest first = read(requests(Mode.SYNC));

		assertThat(first.key()).isNull();
		assertThat(first.order().fingerprint()).isNull();
		assertThat(first.id()).isNotEqualTo(read(requests(Mode.SYNC)).id());
	}

	private OrderRequest read(OrderRequests requests) {
		return requests.read(requests.prefer(this.headers), new HttpEntity<>(BODY, this.headers));
	}

	private static OrderRequests requests(Mode defaultMode) {
		return requests(defaultMode, 0, 1);
	}

	private static OrderRequests requests(Mode defaultMode, double clientLimit, int clientBurst) {
		GatewayProperties properties = new GatewayProperties(defaultMode, 1, Duration.ZERO, Duration.ofSeconds(10), 1,
				clientLimit, clientBurst, Duration.ZERO, Duration.ZERO);
		return new OrderRequests(properties, new OrderCodec(), new ClientLimit(properties, Ticker.disabledTicker()),
				new OrderIds());
	}

}
