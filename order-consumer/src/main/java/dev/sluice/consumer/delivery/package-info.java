/**
 * Bounded delivery. {@link dev.sluice.consumer.delivery.OrderReader} reads and commits, a
 * {@link dev.sluice.consumer.delivery.Delivery} delivers one order on a virtual thread,
 * and the {@link dev.sluice.consumer.limiter.DeliveryLimiter} is the only limit.
 */
@NullMarked
package dev.sluice.consumer.delivery;

import org.jspecify.annotations.NullMarked;
