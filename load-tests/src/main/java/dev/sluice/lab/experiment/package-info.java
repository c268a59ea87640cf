/**
 * The experiments: each a small class on the rooms plan, run, measure, result and report,
 * and the command that offers it. Start at
 * {@link dev.sluice.lab.experiment.CompareExperiment}.
 */
@NullMarked
package dev.sluice.lab.experiment;

import org.jspecify.annotations.NullMarked;
