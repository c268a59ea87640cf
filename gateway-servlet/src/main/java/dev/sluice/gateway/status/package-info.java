/**
 * How far an order has come, asked of PostgreSQL, Kafka and the backend. Start at
 * {@link dev.sluice.gateway.status.OrderStatuses}.
 */
@NullMarked
package dev.sluice.gateway.status;

import org.jspecify.annotations.NullMarked;
