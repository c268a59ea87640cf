/**
 * Messages through a queue and a dispatcher, over connections that are kept or not:
 * {@code lab pool}. Start at {@link dev.sluice.lab.pool.Dispatcher}.
 */
@NullMarked
package dev.sluice.lab.pool;

import org.jspecify.annotations.NullMarked;
