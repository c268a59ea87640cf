/**
 * What the cells of {@code lab compare} say: curves, costs, bounds, and which mode for
 * which load. Start at {@link dev.sluice.lab.compare.figures.Coordinates}.
 */
@NullMarked
package dev.sluice.lab.compare.figures;

import org.jspecify.annotations.NullMarked;
