/**
 * The streaming sink: receives messages over gRPC, stores them, and acknowledges each
 * once it is stored.
 * <p>
 * Start at {@link dev.sluice.sink.DataSinkService}, which opens a
 * {@link dev.sluice.sink.SinkStream} for each call. Requests are read by
 * {@code sink.request} and stored by {@code sink.store}.
 */
@NullMarked
package dev.sluice.sink;

import org.jspecify.annotations.NullMarked;
