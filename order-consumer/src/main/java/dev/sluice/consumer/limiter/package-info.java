/**
 * Limits the orders in delivery and judges the backend's health.
 * {@link dev.sluice.consumer.limiter.DeliveryLimiter} is the limit and
 * {@link dev.sluice.consumer.limiter.BackendHealth} the circuit breaker, with the
 * evidence that decides which failures count against an order.
 */
@NullMarked
package dev.sluice.consumer.limiter;

import org.jspecify.annotations.NullMarked;
