/**
 * The status of an order, combined from what PostgreSQL, Kafka and the backend know.
 * Start at {@link dev.sluice.gateway.core.status.RecentOrder}.
 */
@NullMarked
package dev.sluice.gateway.core.status;

import org.jspecify.annotations.NullMarked;
