/**
 * {@code lab surge}: what clients see second by second after a start and when load
 * surges. Start at {@link dev.sluice.lab.surge.SurgeExperiment}.
 */
@NullMarked
package dev.sluice.lab.surge;

import org.jspecify.annotations.NullMarked;
