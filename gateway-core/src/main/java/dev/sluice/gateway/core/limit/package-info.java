/**
 * The limits of a gateway: requests, with the rules of HTTP/1.1 that both gateways
 * enforce before their servers see them, keys, and orders of one customer. Start at
 * {@link dev.sluice.gateway.core.limit.RequestLimit}.
 */
@NullMarked
package dev.sluice.gateway.core.limit;

import org.jspecify.annotations.NullMarked;
