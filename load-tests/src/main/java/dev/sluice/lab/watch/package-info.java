/**
 * A page that shows what runs while it runs: {@code lab watch}. Start at
 * {@link dev.sluice.lab.watch.Watch}, which asks; {@link dev.sluice.lab.watch.Readings}
 * makes figures of the answers, {@link dev.sluice.lab.watch.WatchServer} serves them.
 */
@NullMarked
package dev.sluice.lab.watch;

import org.jspecify.annotations.NullMarked;
