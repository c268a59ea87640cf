package dev.sluice.gateway.core.status;

import java.time.Instant;

import dev.sluice.contract.OrderView;

/**
 * A row of {@code order_status}.
 *
 * @param view the client's view of it
 * @param customerId the order's customer
 * @param acceptance time of the acceptance that its status belongs to
 */
public record StatusRow(OrderView view, String customerId, Instant acceptance) {
}
