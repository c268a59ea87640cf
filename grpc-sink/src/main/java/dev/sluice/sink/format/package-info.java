/**
 * What the sink and its client share: the format of stored messages, ids as keys of maps,
 * and sets of numbers. Start at {@link dev.sluice.sink.format.TopicRecord}.
 */
@NullMarked
package dev.sluice.sink.format;

import org.jspecify.annotations.NullMarked;
