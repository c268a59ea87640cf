/**
 * Kafka and PostgreSQL for development and tests, and child JVMs. Start at
 * {@link dev.sluice.devservices.DevServices} for the servers, at
 * {@link dev.sluice.devservices.JavaProcess} for a service's jar.
 * <p>
 * Servers are containers where a Docker engine answers, else the real servers as child
 * processes. What is started here ends with the JVM that started it, also when that is
 * killed: see {@link dev.sluice.devservices.Reaper}.
 */
@NullMarked
package dev.sluice.devservices;

import org.jspecify.annotations.NullMarked;
