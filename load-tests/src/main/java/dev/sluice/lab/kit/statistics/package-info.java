/**
 * Statistics: the window of a measurement, percentiles, comparisons of pairs. Start at
 * {@link dev.sluice.lab.kit.statistics.PairedComparison}.
 */
@NullMarked
package dev.sluice.lab.kit.statistics;

import org.jspecify.annotations.NullMarked;
