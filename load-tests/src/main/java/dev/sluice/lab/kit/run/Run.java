package dev.sluice.lab.kit.run;

import java.io.PrintWriter;

import dev.sluice.lab.kit.stack.Interruption;

/**
 * The context of one execution of an experiment.
 *
 * @param command command line that repeats the run
 * @param directory for raw data, the result and the report
 * @param progress for its steps
 * @param out for results, standard output
 * @param interruption says whether the run was told to stop
 * @param report writes the page
 */
public record Run(String command, RunDirectory directory, Progress progress, PrintWriter out, Interruption interruption,
		ReportWriter report) {
}
