/**
 * The report of {@code lab sink}. Start at {@link dev.sluice.lab.sink.SinkSections}.
 */
@NullMarked
package dev.sluice.lab.sink;

import org.jspecify.annotations.NullMarked;
