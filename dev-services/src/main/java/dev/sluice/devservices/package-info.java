/**
 * Kafka and PostgreSQL for development and tests, and child JVMs. Start at
 * {@link dev.sluice.devservices.DevServices} for the servers, at
 * {@link dev.sluice.devservices.JavaProcess} for a service's jar.
 * <p>
 * The servers run in containers if a Docker engine answers, otherwise as child processes.
 * Every process started here ends with the JVM that started it, even if that is killed:
 * see {@link dev.sluice.devservices.Signals}.
 */
@NullMarked
package dev.sluice.devservices;

import org.jspecify.annotations.NullMarked;
