/**
 * {@code lab compare}: every gateway and mode under a rising load. Start at
 * {@link dev.sluice.lab.compare.CompareExperiment}.
 */
@NullMarked
package dev.sluice.lab.compare;

import org.jspecify.annotations.NullMarked;
