/**
 * What figures are made with: the window that they belong to, percentiles, comparisons of
 * pairs. Start at {@link dev.sluice.lab.kit.statistics.PairedComparison}.
 */
@NullMarked
package dev.sluice.lab.kit.statistics;

import org.jspecify.annotations.NullMarked;
