/**
 * What a gateway says of an order, made of what PostgreSQL, Kafka and the backend know.
 * Start at {@link dev.sluice.gateway.core.status.RecentOrder}.
 */
@NullMarked
package dev.sluice.gateway.core.status;

import org.jspecify.annotations.NullMarked;
