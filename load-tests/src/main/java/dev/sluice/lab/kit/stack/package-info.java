/**
 * The system under test on this machine: Kafka, PostgreSQL and the services as child
 * processes, each started and stopped on its own. Start at
 * {@link dev.sluice.lab.kit.stack.Stack}.
 */
@NullMarked
package dev.sluice.lab.kit.stack;

import org.jspecify.annotations.NullMarked;
