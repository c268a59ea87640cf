/**
 * Bounded delivery. {@link dev.sluice.consumer.delivery.DeliveryLoop} reads and commits,
 * a {@link dev.sluice.consumer.delivery.Delivery} is one order's life on a virtual
 * thread, the {@link dev.sluice.consumer.delivery.Gate} is the only limit, and
 * {@link dev.sluice.consumer.delivery.BackendHealth} knows what the attempts of all
 * orders say about the backend.
 */
@NullMarked
package dev.sluice.consumer.delivery;

import org.jspecify.annotations.NullMarked;
