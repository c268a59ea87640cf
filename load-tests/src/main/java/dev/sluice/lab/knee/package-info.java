/**
 * {@code lab knee}: the highest rate that a gateway sustains. Start at
 * {@link dev.sluice.lab.knee.KneeExperiment}.
 */
@NullMarked
package dev.sluice.lab.knee;

import org.jspecify.annotations.NullMarked;
