/**
 * The gateway: accepts orders over HTTP and either delivers them to the backend at once
 * (sync) or makes them durable in Kafka (queued). Start at
 * {@link dev.sluice.gateway.order.OrderController}; an order goes from there through
 * {@link dev.sluice.gateway.core.order.OrderCodec} to
 * {@link dev.sluice.gateway.backend.BackendClient} or
 * {@link dev.sluice.gateway.order.OrderQueue}. The two gateways are twins: code that does
 * not depend on the paradigm is in {@code gateway-core}, and their trees differ only
 * where the paradigm requires it.
 */
@NullMarked
package dev.sluice.gateway;

import org.jspecify.annotations.NullMarked;
