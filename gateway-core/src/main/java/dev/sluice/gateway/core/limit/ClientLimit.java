package dev.sluice.gateway.core.limit;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import com.google.errorprone.annotations.ThreadSafe;
import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.GatewayProperties;
import dev.sluice.gateway.core.problem.ProblemException;
import org.springframework.stereotype.Component;

/**
 * How many orders a customer may place at this gateway: {@code sluice.client-limit} a
 * second, and {@code sluice.client-burst} at once after a while without any. Kept as the
 * time before which the next order would be too early (GCRA), one number a customer. It
 * remembers at most 100,000 customers; a customer that it forgets may place a whole
 * burst.
 */
@Component
@ThreadSafe
public final class ClientLimit {

	private static final long MAX_CUSTOMERS = 100_000;

	/** By which the cache may forget an entry too early: it does not note each write. */
	private static final Duration CACHE_TOLERANCE = Duration.ofSeconds(1);

	/** The longest time that is reckoned with, so that no sum of two overflows. */
	private static final double MAX_NANOS = Duration.ofDays(365).toNanos();

	private final Ticker ticker;

	private final boolean limited;

	private final long intervalNanos;

	private final long toleranceNanos;

	private final Cache<String, Long> nextOrders;

	public ClientLimit(GatewayProperties properties, Ticker ticker) {
		this.ticker = ticker;
		this.limited = properties.clientLimit() > 0;
		double interval = this.limited ? TimeUnit.SECONDS.toNanos(1) / properties.clientLimit() : 0;
		this.intervalNanos = (long) Math.min(interval, MAX_NANOS);
		this.toleranceNanos = (long) Math.min(interval * (properties.clientBurst() - 1), MAX_NANOS);
		this.nextOrders = Caffeine.newBuilder()
			.ticker(ticker)
			.maximumSize(MAX_CUSTOMERS)
			// By then the whole burst is free again, as for one who is not known.
			.expireAfterWrite(Duration.ofNanos(this.toleranceNanos + this.intervalNanos).plus(CACHE_TOLERANCE))
			.build();
	}

	/**
	 * A customer places an order.
	 * @param customerId who
	 * @throws ProblemException if it is one too many
	 */
	public void check(String customerId) {
		if (!this.limited) {
			return;
		}
		long now = this.ticker.read();
		long[] earlyNanos = new long[1];
		this.nextOrders.asMap().compute(customerId, (_, next) -> {
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
