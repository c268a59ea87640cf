/**
 * Writes messages as requests of the sink's protocol: batches, sessions and sequences,
 * compression. Start at {@link dev.sluice.sink.client.wire.RequestWriter}.
 */
@NullMarked
package dev.sluice.sink.client.wire;

import org.jspecify.annotations.NullMarked;
