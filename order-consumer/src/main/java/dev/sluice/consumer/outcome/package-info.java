/**
 * Publishes outcomes of orders, and dead letters. Each record is published until Kafka
 * acknowledges it.
 */
@NullMarked
package dev.sluice.consumer.outcome;

import org.jspecify.annotations.NullMarked;
