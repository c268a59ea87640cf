/**
 * Running what was planned: the forked load generator, the run's directory, progress and
 * the environment record. Knows nothing of a particular experiment. Start at
 * {@link dev.sluice.lab.kit.run.Experiment}.
 */
@NullMarked
package dev.sluice.lab.kit.run;

import org.jspecify.annotations.NullMarked;
