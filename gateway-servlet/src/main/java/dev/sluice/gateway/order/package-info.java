/**
 * The API: places an order in one of the two modes, and looks up its status in
 * PostgreSQL, Kafka and the backend. Start at
 * {@link dev.sluice.gateway.order.OrderController}.
 */
@NullMarked
package dev.sluice.gateway.order;

import org.jspecify.annotations.NullMarked;
