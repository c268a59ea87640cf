package dev.sluice.gateway.order;

import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import dev.sluice.contract.Placed;
import dev.sluice.contract.ProblemType;
import dev.sluice.gateway.core.config.BackendProperties;
import dev.sluice.gateway.core.config.QueueProperties;
import dev.sluice.gateway.core.metrics.GatewayMetric;
import dev.sluice.gateway.core.problem.ProblemException;
import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.stereotype.Component;

/**
 * The keyed orders and the redeliveries in progress at this gateway, so that a repeat
 * sent before the first is answered gets 409. Holds at most as many as both modes
 * together let in; beyond: 503. No other id can come twice. For any number of threads.
 */
@Component
final class InFlight {

	private final Set<UUID> ids = ConcurrentHashMap.newKeySet();

	private final int capacity;

	InFlight(BackendProperties backend, QueueProperties queue, MeterRegistry meters) {
		this.capacity = Math.addExact(backend.maxConcurrent(), queue.maxInFlight());
		GatewayMetric.KEYS_IN_PROGRESS.gauge(meters, this.ids, Set::size);
	}

	/**
	 * Has an order in progress from now until the work has ended, however it ends.
	 * @param <T> the answer
	 * @param id the order's id
	 * @param work what is done for it
	 * @return what the work returns
	 * @throws ProblemException if the order is in progress already, or too many are
	 */
	<T> CompletionStage<T> during(UUID id, Supplier<CompletionStage<T>> work) {
		begin(id);
		try {
			return work.get().whenComplete((_, _) -> this.ids.remove(id));
		}
		catch (RuntimeException | Error ex) {
			this.ids.remove(id);
			throw ex;
		}
	}

	private void begin(UUID id) {
		if (!this.ids.add(id)) {
			throw new ProblemException(ProblemType.IN_PROGRESS,
					"Another request for this order is being processed. Repeat this one when that is answered.");
		}
		// After the add, so that the bound holds however many threads are between the
		// two.
		if (this.ids.size() > this.capacity) {
			this.ids.remove(id);
			throw new ProblemException(ProblemType.OVERLOADED, "Too many requests are in progress.", Placed.NO);
		}
	}

}
