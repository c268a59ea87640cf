/**
 * Sluice's laboratory. Start at {@link dev.sluice.lab.Lab}, which lists the commands.
 * <p>
 * Each experiment has a package: its command, plan, run and sections of the report.
 * {@code kit} holds the parts that they share: {@code kit.stack} the system under test,
 * {@code kit.load} the load generators, {@code kit.measure} samplers and readers,
 * {@code kit.result} the result's file, {@code kit.page} the parts of a page, and
 * {@code kit.run} the course of a run. Commands that are no experiments are here.
 * <p>
 * A new experiment extends {@link dev.sluice.lab.kit.run.Experiment}, adds its finding to
 * {@link dev.sluice.lab.kit.result.Finding}, its sections to
 * {@link dev.sluice.lab.Report} (the compiler asks for them) and its command to
 * {@link dev.sluice.lab.Lab}. "Add an experiment" in {@code CONTRIBUTING.md} has every
 * step.
 */
@NullMarked
package dev.sluice.lab;

import org.jspecify.annotations.NullMarked;
