package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * Limits the orders that a customer may place at this gateway:
 * {@code sluice.client-limit} per second, and {@code sluice.client-burst} at once after a
 * pause. It keeps one number for each customer, the time before which the next order
 * would be too early (GCRA); resilience4j would keep an object for each. It remembers at
 * most 100,000 customers; one that it has forgotten may place a whole burst.
 */
@Component
public final class ClientLimit {

	private static final long MAX_CUSTOMERS = 100_000;

	/** Upper bound of each duration, so that the sum of two does not overflow. */
	private static final double MAX_NANOS = Duration.ofDays(365).toNanos();

	private final Ticker ticker;

	/** Between two orders; 0 if there is no limit. */
	private final long intervalNanos;

	private final long toleranceNanos;

	private final Map<String, Long> nextOrders = Caffeine.newBuilder()
		.maximumSize(MAX_CUSTOMERS)
		.<String, Long>build()
		.asMap();

	public ClientLimit(GatewayProperties properties, Ticker ticker) {
		this.ticker = ticker;
		double interval = (properties.clientLimit() > 0) ? TimeUnit.SECONDS.toNanos(1) / properties.clientLimit() : 0;
		this.intervalNanos = (long) Math.min(interval, MAX_NANOS);
		this.toleranceNanos = (long) Math.min(interval * (properties.clientBurst() - 1), MAX_NANOS);
	}

	/**
	 * Checks and counts an order.
	 * @param customerId the order's customer
	 * @throws ProblemException if the order exceeds the limit
	 */
	public void check(String customerId) {
		if (this.intervalNanos == 0) {
			return;
		}
		long now = this.ticker.read();
		long[] earlyNanos = new long[1];
		this.nextOrders.compute(customerId, (_, next) -> {
			long at = (next != null && next - now > 0) ? next : now;
			earlyNanos[0] = at - now - this.toleranceNanos;
			return (earlyNanos[0] > 0) ? at : at + this.intervalNanos;
		});
		if (earlyNanos[0] > 0) {
			throw new ProblemException(ProblemType.TOO_MANY_REQUESTS,
					"This customer has placed more orders than sluice.client-limit and sluice.client-burst allow.",
					Placed.NO, Duration.ofNanos(earlyNanos[0]));
		}
	}

}
