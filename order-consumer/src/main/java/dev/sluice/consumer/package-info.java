/**
 * The consumer. It reads accepted orders from Kafka and delivers them at the backend's
 * speed. Start at {@link dev.sluice.consumer.delivery.DeliveryLoop}; the status
 * projection next to it starts at {@link dev.sluice.consumer.projection.Projection} and
 * shares nothing with it but Kafka.
 */
@NullMarked
package dev.sluice.consumer;

import org.jspecify.annotations.NullMarked;
