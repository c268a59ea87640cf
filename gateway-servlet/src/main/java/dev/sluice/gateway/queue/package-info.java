/**
 * Puts an order into Kafka. Start at {@link dev.sluice.gateway.queue.OrderQueue}.
 */
@NullMarked
package dev.sluice.gateway.queue;

import org.jspecify.annotations.NullMarked;
