package dev.sluice.gateway.core.status;

import java.time.Instant;

import dev.sluice.contract.OrderView;

/**
 * A row of {@code order_status}.
 *
 * @param view what clients are told of it
 * @param customerId whose order it is
 * @param acceptance the acceptance that its status belongs to
 */
public record StatusRow(OrderView view, String customerId, Instant acceptance) {
}
