package dev.sluice.gateway.core.metrics;

import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * Counts the requests that are refused whatever they ask for. They are not logged,
 * because a client can send any number of them.
 */
@Component
public final class RefusedRequests {

	private final Map<Reason, Counter> counters = new EnumMap<>(Reason.class);

	public RefusedRequests(MeterRegistry meters) {
		for (Reason reason : Reason.values()) {
			this.counters.put(reason, GatewayMetric.REQUESTS_REFUSED.counter(meters, "reason",
					reason.name().toLowerCase(Locale.ROOT).replace('_', '-')));
		}
	}

	public void count(Reason reason) {
		Objects.requireNonNull(this.counters.get(reason)).increment();
	}

	/**
	 * It breaks the rules of HTTP (400), its body is too large (413), it did not arrive
	 * in time (408), as many are in progress as {@code sluice.requests.limit} or there is
	 * no memory for its body (503), or the gateway stops (503).
	 */
	public enum Reason {

		MALFORMED, TOO_LARGE, LATE, OVERLOADED, SHUTTING_DOWN

	}

}
