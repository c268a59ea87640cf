/**
 * The thread model {@code async}: servlet async processing and a backend client that does
 * not block. Start at {@link dev.sluice.gateway.async.AsyncBackendTransport}.
 */
@NullMarked
package dev.sluice.gateway.async;

import org.jspecify.annotations.NullMarked;
