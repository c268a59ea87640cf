/**
 * The greatest rate that a gateway sustains: {@code lab knee}. Start at
 * {@link dev.sluice.lab.knee.KneeExperiment}.
 */
@NullMarked
package dev.sluice.lab.knee;

import org.jspecify.annotations.NullMarked;
