/**
 * One measured cell: its coordinates, its figures, and what limited it; and the
 * statistics of figures. Start at {@link dev.sluice.lab.kit.cell.CellResult}.
 */
@NullMarked
package dev.sluice.lab.kit.cell;

import org.jspecify.annotations.NullMarked;
