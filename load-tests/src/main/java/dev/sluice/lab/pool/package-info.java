/**
 * {@code lab pool}: messages through a queue and a dispatcher, over new or kept
 * connections. Start at {@link dev.sluice.lab.pool.Dispatcher}.
 */
@NullMarked
package dev.sluice.lab.pool;

import org.jspecify.annotations.NullMarked;
