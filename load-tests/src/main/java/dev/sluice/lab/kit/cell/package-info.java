/**
 * One measured cell: its coordinates, what came out, and what bound it. Start at
 * {@link dev.sluice.lab.kit.cell.CellResult}.
 */
@NullMarked
package dev.sluice.lab.kit.cell;

import org.jspecify.annotations.NullMarked;
