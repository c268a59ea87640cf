/**
 * The stores that save orders, once each: in memory or in PostgreSQL. Start at
 * {@link dev.sluice.backend.store.OrderStore}.
 */
@NullMarked
package dev.sluice.backend.store;

import org.jspecify.annotations.NullMarked;
