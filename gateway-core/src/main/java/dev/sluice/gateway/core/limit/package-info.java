/**
 * The limits of a gateway: requests, keys, and orders of one customer. Start at
 * {@link dev.sluice.gateway.core.limit.RequestLimit}.
 */
@NullMarked
package dev.sluice.gateway.core.limit;

import org.jspecify.annotations.NullMarked;
