/**
 * What is told of a {@code lab compare}. {@link dev.sluice.lab.report.compare.Curve} is
 * what the rest reasons about, {@link dev.sluice.lab.report.compare.Findings} does the
 * reasoning, the sections show it. Start at
 * {@link dev.sluice.lab.report.compare.CompareSections}.
 */
@NullMarked
package dev.sluice.lab.report.compare;

import org.jspecify.annotations.NullMarked;
