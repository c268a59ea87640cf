/**
 * How much of everything a gateway lets in: requests, keys, waiting clients, and orders a
 * customer. Start at {@link dev.sluice.gateway.core.limit.RequestLimit}.
 */
@NullMarked
package dev.sluice.gateway.core.limit;

import org.jspecify.annotations.NullMarked;
