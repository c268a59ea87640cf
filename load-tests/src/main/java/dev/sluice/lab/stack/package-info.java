/**
 * The system under test on this machine: Kafka, PostgreSQL and the services as child
 * processes, each to be started and stopped alone. Start at
 */
@NullMarked
package dev.sluice.lab.stack;

import org.jspecify.annotations.NullMarked;
