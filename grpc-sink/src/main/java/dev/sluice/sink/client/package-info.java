/**
 * The sink's client: keeps messages in a durable spool, sends them over a stream to each
 * of its sinks, and deletes each once a sink has acknowledged it. Start at
 * {@link dev.sluice.sink.client.SinkClient}.
 */
@NullMarked
package dev.sluice.sink.client;

import org.jspecify.annotations.NullMarked;
