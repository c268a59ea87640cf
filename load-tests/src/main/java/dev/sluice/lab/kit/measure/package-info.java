/**
 * Evaluation of cells. Samplers run next to the load and leave raw files, which are
 * turned into series. Everything is on one clock, the epoch of this machine, and is cut
 * to the {@link dev.sluice.lab.kit.cell.Window} of a cell afterwards. Start at
 * {@link dev.sluice.lab.kit.measure.CellEvaluation}.
 */
@NullMarked
package dev.sluice.lab.kit.measure;

import org.jspecify.annotations.NullMarked;
