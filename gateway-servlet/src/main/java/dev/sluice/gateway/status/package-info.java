/**
 * Looks up the status of an order in PostgreSQL, Kafka and the backend. Start at
 * {@link dev.sluice.gateway.status.OrderStatuses}.
 */
@NullMarked
package dev.sluice.gateway.status;

import org.jspecify.annotations.NullMarked;
