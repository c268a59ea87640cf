/**
 * What is known of clients' sessions: which of their numbered messages the storage has.
 * Start at {@link dev.sluice.sink.sequence.SessionState}.
 */
@NullMarked
package dev.sluice.sink.sequence;

import org.jspecify.annotations.NullMarked;
