/**
 * The sink's client: keeps messages in a durable spool, moves them over one stream and
 * forgets each once the sink has it. Start at {@link dev.sluice.sink.client.SinkClient}.
 */
@NullMarked
package dev.sluice.sink.client;

import org.jspecify.annotations.NullMarked;
