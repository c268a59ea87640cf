package dev.sluice.gateway.core.status;

import java.time.Instant;

import dev.sluice.contract.OrderStatus;
import dev.sluice.contract.OrderView;
import dev.sluice.gateway.core.order.IdempotencyKey;
import dev.sluice.gateway.core.problem.ProblemException;
import dev.sluice.gateway.core.web.OrderRequest;
import org.jspecify.annotations.Nullable;

/**
 * A row of {@code order_status}.
 *
 * @param view the client's view of it
 * @param customerId the order's customer
 * @param acceptance time of the acceptance that its status belongs to
 * @param used what its id was used for; null if the order has no idempotency key
 */
public record StatusRow(OrderView view, String customerId, Instant acceptance, KeyUse.@Nullable Used used) {

	/**
	 * The view of a client that waits for its order to be saved.
	 * @throws ProblemException if another payload is saved under its key
	 */
	public OrderView viewFor(OrderRequest request) {
		IdempotencyKey key = request.key();
		if (key != null && this.used != null && this.view.status() == OrderStatus.SAVED
				&& this.used.refuses(request.order().fingerprint())) {
			throw key.reused();
		}
		return this.view;
	}
}
