/** Kafka and PostgreSQL for development and tests, and child processes. */
@NullMarked
package dev.sluice.devservices;

import org.jspecify.annotations.NullMarked;
