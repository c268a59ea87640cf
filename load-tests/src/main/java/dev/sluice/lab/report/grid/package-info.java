/**
 * The report of {@code lab grid}. Start at
 * {@link dev.sluice.lab.report.grid.GridSections}.
 */
@NullMarked
package dev.sluice.lab.report.grid;

import org.jspecify.annotations.NullMarked;
