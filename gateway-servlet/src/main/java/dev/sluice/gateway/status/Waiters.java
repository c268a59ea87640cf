package dev.sluice.gateway.status;

import java.util.Optional;
import java.util.function.BooleanSupplier;

import dev.sluice.gateway.core.config.StatusProperties;
import dev.sluice.gateway.core.limit.WaiterLimit;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.status.StatusRow;
import dev.sluice.gateway.core.status.StatusUnavailableException;
import dev.sluice.gateway.core.web.OrderReply;
import dev.sluice.gateway.core.web.OrderRequest;
import dev.sluice.gateway.core.web.OutcomeWait;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Waits for a queued order to be saved ({@code Prefer: wait=n}) by polling PostgreSQL.
 * Holds the calling thread. At most {@code sluice.max-waiters} requests wait; further
 * ones do not wait.
 */
@Component
public record Waiters(StatusProperties properties, StatusRepository repository, WaiterLimit waiters) {

	private static final Logger logger = LoggerFactory.getLogger(Waiters.class);

	/**
	 * Waits for an order to be saved.
	 * @param request the request that queued the order
	 * @param clientDisconnected whether the client has disconnected; then the wait ends
	 * @return the reply, whether the order is saved or not
	 * @throws ProblemException if another order is saved under its key
	 */
	public OrderReply untilSaved(OrderRequest request, BooleanSupplier clientDisconnected) {
		OutcomeWait wait = new OutcomeWait(request, System.nanoTime());
		if (!this.waiters.tryAcquire()) {
			return wait.notWaited();
		}
		try {
			OrderReply reply = check(wait);
			while (reply == null) {
				Thread.sleep(wait.nextPause(System.nanoTime()));
				reply = clientDisconnected.getAsBoolean() ? wait.notWaited() : check(wait);
			}
			return reply;
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return wait.notWaited();
		}
		finally {
			this.waiters.release();
		}
	}

	private @Nullable OrderReply check(OutcomeWait wait) {
		Optional<StatusRow> row;
		try {
			row = this.repository.find(wait.id(), this.properties.timeout());
		}
		catch (StatusUnavailableException _) {
			return wait.notWaited();
		}
		catch (RuntimeException ex) {
			// The order has been accepted, and the answer says so.
			logger.error("Whether order {} is saved cannot be read because of a bug", wait.id(), ex);
			return wait.notWaited();
		}
		return wait.check(row.map((found) -> found.viewFor(wait.request())), System.nanoTime());
	}

}
