/**
 * The destination of deliveries: the {@link dev.sluice.consumer.backend.Backend} over
 * HTTP or over the sink's stream, and the {@link dev.sluice.consumer.backend.Attempt},
 * the result of one delivery.
 */
@NullMarked
package dev.sluice.consumer.backend;

import org.jspecify.annotations.NullMarked;
