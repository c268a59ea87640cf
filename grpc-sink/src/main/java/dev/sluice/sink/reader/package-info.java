/**
 * Reads what a sink has stored: {@link dev.sluice.sink.reader.TopicReader} from the
 * topic, {@link dev.sluice.sink.reader.LogReader} from a log. Start at
 * {@link dev.sluice.sink.reader.SinkReader}.
 */
@NullMarked
package dev.sluice.sink.reader;

import org.jspecify.annotations.NullMarked;
