package dev.sluice.gateway.core.limit;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * The orders with an idempotency key, and the redeliveries, that this gateway is working
 * on, each for a request in progress. A repeat that arrives meanwhile gets 409.
 */
@Component
public final class KeysInProgress {

	private final Set<UUID> ids = ConcurrentHashMap.newKeySet();

	public KeysInProgress(MeterRegistry meters) {
		GatewayMetric.KEYS_IN_PROGRESS.gauge(meters, this.ids, Set::size);
	}

	/**
	 * Begins the work on an order.
	 * @param id the order's id
	 * @return the work; close it once, before the answer is passed on, because a repeat
	 * may follow the answer at once
	 * @throws ProblemException if the order is in progress already
	 */
	public Work begin(UUID id) {
		if (!this.ids.add(id)) {
			throw new ProblemException(ProblemType.IN_PROGRESS,
					"Another request for this order is being processed. Repeat this one when that one is answered.");
		}
		return () -> this.ids.remove(id);
	}

	/** The work on one order. */
	@FunctionalInterface
	public interface Work extends AutoCloseable {

		@Override
		void close();

	}

}
