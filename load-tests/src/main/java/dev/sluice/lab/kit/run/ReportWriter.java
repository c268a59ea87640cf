package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.file.Path;

import dev.sluice.lab.kit.result.RunResult;

/** Shows a run, on a page and in the terminal. */
public interface ReportWriter {

	/** The report's name in a run's directory. */
	String NAME = "report.html";

	/**
	 * Writes a page.
	 * @param html the file, replaced if it exists
	 * @throws IOException if it cannot be written
	 */
	void write(RunResult run, Path html) throws IOException;

	/** The run for the terminal: empty, or ending with a line break. */
	String text(RunResult run);

}
