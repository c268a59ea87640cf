package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.kit.result.RunResult;

/** Writes the report of some runs. */
@FunctionalInterface
public interface ReportWriter {

	/** The report's name in a run's directory. */
	String NAME = "report.html";

	/**
	 * Writes a page.
	 * @param runs at least one
	 * @param html the file, replaced if it exists
	 * @throws IOException if it cannot be written
	 */
	void write(List<RunResult> runs, Path html) throws IOException;

}
