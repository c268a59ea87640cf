/**
 * The thread model {@code async}: servlet async processing, and a backend client and a
 * Kafka sender that do not block. Only this package uses futures. Start at
 * {@link dev.sluice.gateway.async.AsyncOrderController}.
 */
@NullMarked
package dev.sluice.gateway.async;

import org.jspecify.annotations.NullMarked;
