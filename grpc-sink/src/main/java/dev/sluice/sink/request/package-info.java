/**
 * What clients send: reads requests from the wire and payloads from zstd frames, within
 * bounds. Start at {@link dev.sluice.sink.request.RequestMarshaller}.
 */
@NullMarked
package dev.sluice.sink.request;

import org.jspecify.annotations.NullMarked;
