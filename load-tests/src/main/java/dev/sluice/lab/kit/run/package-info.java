/**
 * Running what was planned: the forked load generator, the run's directory, progress and
 * the environment record. Independent of any particular experiment. Start at
 * {@link dev.sluice.lab.kit.run.Experiment}.
 */
@NullMarked
package dev.sluice.lab.kit.run;

import org.jspecify.annotations.NullMarked;
