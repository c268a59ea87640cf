package dev.sluice.sink;

import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

import dev.sluice.sink.limit.RateLimitedLog;
import dev.sluice.sink.limit.SharedLimit;
import dev.sluice.sink.request.Decompressor;
import dev.sluice.sink.store.OnceStore;

/**
 * State and limits that all streams share.
 *
 * @param properties settings of the sink
 * @param metrics metrics of the sink
 * @param store stores the messages
 * @param memory bytes of messages as received, and of responses not yet written
 * @param decompressed bytes of decompressed messages in the storage. It has a limit of
 * its own: otherwise messages that wait for the storage would keep out those that could
 * free memory
 * @param storing messages in the storage
 * @param decompressor decompresses payloads
 * @param executor runs tasks that may block
 * @param timer runs tasks later
 * @param nanoTime clock of the limits
 * @param failures log of the storage's failures
 */
record Shared(SinkProperties properties, SinkMetrics metrics, OnceStore store, SharedLimit memory,
		SharedLimit decompressed, SharedLimit storing, Decompressor decompressor, Executor executor,
		ScheduledExecutorService timer, LongSupplier nanoTime, RateLimitedLog failures) {
}
