/**
 * What orders are delivered to: the {@link dev.sluice.consumer.backend.Backend} over HTTP
 * or over the sink's stream, and the {@link dev.sluice.consumer.backend.Attempt} that one
 * delivery comes to.
 */
@NullMarked
package dev.sluice.consumer.backend;

import org.jspecify.annotations.NullMarked;
