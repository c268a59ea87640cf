/**
 * Figures computed from the cells of {@code lab compare}: curves, costs, bottlenecks, and
 * which mode for which load. Start at {@link dev.sluice.lab.compare.figures.CellGroup}.
 */
@NullMarked
package dev.sluice.lab.compare.figures;

import org.jspecify.annotations.NullMarked;
