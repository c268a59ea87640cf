/**
 * What is told of a {@code lab compare --causes}.
 * {@link dev.sluice.lab.report.causes.Effects} takes trials and repetitions together,
 * {@link dev.sluice.lab.report.causes.Verdict} says what they support. Start at
 * {@link dev.sluice.lab.report.causes.CausesSections}.
 */
@NullMarked
package dev.sluice.lab.report.causes;

import org.jspecify.annotations.NullMarked;
