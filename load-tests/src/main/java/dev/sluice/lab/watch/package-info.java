/**
 * {@code lab watch}: a page that shows a running system. Start at
 * {@link dev.sluice.lab.watch.Watch}, which scrapes the services;
 * {@link dev.sluice.lab.watch.Readings} computes figures from the answers, and
 * {@link dev.sluice.lab.watch.WatchServer} serves them.
 */
@NullMarked
package dev.sluice.lab.watch;

import org.jspecify.annotations.NullMarked;
