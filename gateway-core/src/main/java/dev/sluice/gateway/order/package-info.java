/**
 * A request, read and checked: headers, body, ids. Start at
 * {@link dev.sluice.gateway.order.OrderCodec}.
 */
@NullMarked
package dev.sluice.gateway.order;

import org.jspecify.annotations.NullMarked;
