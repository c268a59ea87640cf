/**
 * Limits that all streams share. Start at {@link dev.sluice.sink.limit.SharedLimit}.
 */
@NullMarked
package dev.sluice.sink.limit;

import org.jspecify.annotations.NullMarked;
