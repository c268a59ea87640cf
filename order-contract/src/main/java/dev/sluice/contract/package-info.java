/**
 * Everything that crosses a process boundary: the HTTP and Kafka records, topic and
 * header names and problem types that gateway, consumer, backend and laboratory must
 * agree on. Start at {@link dev.sluice.contract.Order}. No Spring, no I/O, no logic.
 */
@NullMarked
package dev.sluice.contract;

import org.jspecify.annotations.NullMarked;
