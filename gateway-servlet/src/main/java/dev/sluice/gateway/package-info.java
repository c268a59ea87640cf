/**
 * The gateway: takes orders over HTTP and either delivers them to the backend at once
 * (sync) or makes them durable in Kafka (queued). Start at
 * {@link dev.sluice.gateway.order.OrderController}; an order goes from there through
 * {@link dev.sluice.gateway.core.order.OrderCodec} to
 * {@link dev.sluice.gateway.backend.BackendClient} or
 * {@link dev.sluice.gateway.queue.OrderQueue}. The two gateways are twins: what shows no
 * paradigm is in {@code gateway-core}, once; what differs between their trees is what the
 * paradigm changes, and nothing else.
 */
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
