/**
 * {@code lab sink}: the same data by calls that wait and by the stream. Start at
 * {@link dev.sluice.lab.sink.SinkExperiment}.
 */
@NullMarked
package dev.sluice.lab.sink;

import org.jspecify.annotations.NullMarked;
