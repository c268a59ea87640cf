/**
 * Where messages are kept: the Kafka topic {@code sink} or a log of files. Start at
 * {@link dev.sluice.sink.store.OnceStore}, which stores each id once, whatever keeps it.
 */
@NullMarked
package dev.sluice.sink.store;

import org.jspecify.annotations.NullMarked;
