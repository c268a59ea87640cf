/**
 * Protects the gateway from its clients before a request reaches the application, with
 * limits for connections, heads, bodies and requests in progress. Start at
 * {@link dev.sluice.gateway.edge.GuardedHttp11Processor}.
 */
@NullMarked
package dev.sluice.gateway.edge;

import org.jspecify.annotations.NullMarked;
