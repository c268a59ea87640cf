/**
 * The metrics of a gateway. {@link dev.sluice.gateway.metrics.GatewayMetric} lists them.
 */
@NullMarked
package dev.sluice.gateway.metrics;

import org.jspecify.annotations.NullMarked;
