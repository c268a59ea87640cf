/**
 * {@code lab drain}: how fast the consumer delivers a backlog. Start at
 * {@link dev.sluice.lab.drain.DrainExperiment}.
 */
@NullMarked
package dev.sluice.lab.drain;

import org.jspecify.annotations.NullMarked;
