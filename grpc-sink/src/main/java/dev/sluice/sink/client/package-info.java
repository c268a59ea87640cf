/**
 * The sink's client: keeps messages in a durable spool, moves them over a stream to each
 * of its sinks and forgets each once a sink has it. Start at
 * {@link dev.sluice.sink.client.SinkClient}.
 */
@NullMarked
package dev.sluice.sink.client;

import org.jspecify.annotations.NullMarked;
