/**
 * A request, read and checked: headers, body, ids. Start at
 * {@link dev.sluice.gateway.core.order.OrderCodec}.
 */
@NullMarked
package dev.sluice.gateway.core.order;

import org.jspecify.annotations.NullMarked;
