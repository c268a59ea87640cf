/**
 * The storage, which is the Kafka topic {@code sink}. Start at
 * {@link dev.sluice.sink.store.OnceStore}, which stores each message once.
 */
@NullMarked
package dev.sluice.sink.store;

import org.jspecify.annotations.NullMarked;
