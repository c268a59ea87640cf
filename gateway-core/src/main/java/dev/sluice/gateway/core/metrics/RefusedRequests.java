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
		this.malformed = counter(meters, "malformed");
		this.late = counter(meters, "late");
		this.overloaded = counter(meters, "overloaded");
		this.shuttingDown = counter(meters, "shutting-down");
	}

	private static Counter counter(MeterRegistry meters, String reason) {
		return GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason", reason);
	}

	/** A request breaks the rules of HTTP: 400. */
	public void malformed() {
		this.malformed.increment();
	}

	/** A head did not arrive in time: 408. */
	public void late() {
		this.late.increment();
	}

	/**
	 * {@code sluice.max-in-progress} are in progress, or requests wait longer for a
	 * thread than {@code sluice.max-scheduling-delay}: 503.
	 */
	public void overloaded() {
		this.overloaded.increment();
	}

	/** The gateway stops: 503. */
	public void shuttingDown() {
		this.shuttingDown.increment();
	}

}
