/**
 * The system under test on this machine: Kafka, PostgreSQL and the services as child
 * processes, each to be started and stopped alone. Start at
 * {@link dev.sluice.lab.stack.Stack}; {@link dev.sluice.lab.stack.Up} is {@code lab up}.
 */
@NullMarked
package dev.sluice.lab.stack;

import org.jspecify.annotations.NullMarked;
