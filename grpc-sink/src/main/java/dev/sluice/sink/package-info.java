/**
 * The streaming sink: messages come over gRPC, go to the storage, and are acknowledged
 * once it has them.
 * <p>
 * Start at {@link dev.sluice.sink.DataSinkService}, which opens a
 * {@link dev.sluice.sink.SinkStream} for each call.
 */
@NullMarked
package dev.sluice.sink;

import org.jspecify.annotations.NullMarked;
