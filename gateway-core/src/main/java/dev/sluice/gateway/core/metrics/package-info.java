/**
 * The metrics of a gateway. {@link dev.sluice.gateway.core.metrics.GatewayMetric} lists
 * them.
 */
@NullMarked
package dev.sluice.gateway.core.metrics;

import org.jspecify.annotations.NullMarked;
