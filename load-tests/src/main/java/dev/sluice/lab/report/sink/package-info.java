/**
 * The report of {@code lab sink}. Start at
 * {@link dev.sluice.lab.report.sink.SinkSections}.
 */
@NullMarked
package dev.sluice.lab.report.sink;

import org.jspecify.annotations.NullMarked;
