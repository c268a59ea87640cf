/**
 * The API: places an order in one of the two modes and answers the client. Start at
 * {@link dev.sluice.gateway.order.OrderController}.
 */
@NullMarked
package dev.sluice.gateway.order;

import org.jspecify.annotations.NullMarked;
