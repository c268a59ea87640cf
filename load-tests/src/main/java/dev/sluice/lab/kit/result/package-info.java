/**
 * What a run leaves behind: {@code run.json} in its directory, written by the run and
 * read by the report. Start at {@link dev.sluice.lab.kit.result.RunResult}. Raw files
 * (calls, samples, scrapes, logs of the collectors) are next to it, so that anyone can
 * check the figures.
 */
@NullMarked
package dev.sluice.lab.kit.result;

import org.jspecify.annotations.NullMarked;
