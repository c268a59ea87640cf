/**
 * How many orders are in delivery, and whether the backend is well.
 * {@link dev.sluice.consumer.limiter.DeliveryLimiter} is the limit and
 * {@link dev.sluice.consumer.limiter.BackendHealth} the circuit breaker, with the
 * evidence that decides which failures count against an order.
 */
@NullMarked
package dev.sluice.consumer.limiter;

import org.jspecify.annotations.NullMarked;
