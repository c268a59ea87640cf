/**
 * The format of stored messages, in a log ({@link dev.sluice.sink.format.LogRecord}) and
 * in the topic ({@link dev.sluice.sink.format.TopicRecord}).
 */
@NullMarked
package dev.sluice.sink.format;

import org.jspecify.annotations.NullMarked;
