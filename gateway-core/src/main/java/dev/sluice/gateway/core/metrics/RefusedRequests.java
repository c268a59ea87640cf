package dev.sluice.gateway.core.metrics;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * Counts the requests that are refused whatever they ask for. They are not logged,
 * because a client can send any number of them.
 */
@Component
public final class RefusedRequests {

	private final Counter malformed;

	private final Counter late;

	private final Counter overloaded;

	private final Counter shuttingDown;

	public RefusedRequests(MeterRegistry meters) {
		this.malformed = GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", "malformed");
		this.late = GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", "late");
		this.overloaded = GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", "overloaded");
		this.shuttingDown = GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", "shutting-down");
	}

	/** A request breaks the rules of HTTP: 400. */
	public void malformed() {
		this.malformed.increment();
	}

	/** A head did not arrive in time: 408. */
	public void late() {
		this.late.increment();
	}

	/** As many are in progress as {@code sluice.requests.limit}: 503. */
	public void overloaded() {
		this.overloaded.increment();
	}

	/** The gateway stops: 503. */
	public void shuttingDown() {
		this.shuttingDown.increment();
	}

}
