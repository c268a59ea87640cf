/**
 * The storage: the Kafka topic {@code sink} or a log of files. Start at
 * {@link dev.sluice.sink.store.OnceStore}, which stores each message once in either.
 */
@NullMarked
package dev.sluice.sink.store;

import org.jspecify.annotations.NullMarked;
