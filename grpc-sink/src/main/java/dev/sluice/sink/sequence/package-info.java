/**
 * Client sessions and which of their numbered messages are stored. Start at
 * {@link dev.sluice.sink.sequence.SessionState}.
 */
@NullMarked
package dev.sluice.sink.sequence;

import org.jspecify.annotations.NullMarked;
