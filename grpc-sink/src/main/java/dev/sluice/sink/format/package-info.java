/**
 * The format of stored messages. Start at {@link dev.sluice.sink.format.TopicRecord}.
 */
@NullMarked
package dev.sluice.sink.format;

import org.jspecify.annotations.NullMarked;
