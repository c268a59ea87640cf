/**
 * The sink's client: keeps messages in a durable {@linkplain dev.sluice.sink.client.spool
 * spool}, sends them to the sink in {@linkplain dev.sluice.sink.client.wire requests} of
 * one stream, and deletes each once the sink has acknowledged it. This package decides
 * when a message is sent. Start at {@link dev.sluice.sink.client.SinkClient}.
 */
@NullMarked
package dev.sluice.sink.client;

import org.jspecify.annotations.NullMarked;
