/**
 * Reads what a sink has stored: {@link dev.sluice.sink.reader.TopicReader}.
 */
@NullMarked
package dev.sluice.sink.reader;

import org.jspecify.annotations.NullMarked;
