/**
 * {@code lab order} and {@code lab redeliver}. Start at
 * {@link dev.sluice.lab.order.PlaceOrder}.
 */
@NullMarked
package dev.sluice.lab.order;

import org.jspecify.annotations.NullMarked;
