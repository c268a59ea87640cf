package dev.sluice.lab.kit.page;

import java.util.List;

import dev.sluice.lab.kit.result.RunResult;

/**
 * One part of a run's report. A section renders whatever a run holds: an interrupted run
 * may lack every cell, and a cell any figure.
 */
public interface Section {

	/**
	 * Its name in links, different from those of the other sections of a run.
	 * @return letters and hyphens
	 */
	String id();

	/**
	 * Its heading.
	 * @return plain text
	 */
	String title();

	/**
	 * What came out, if it is this section that says so; the overview of several runs
	 * repeats it.
	 * @param run what was measured
	 * @return plain sentences, none if the section answers nothing
	 */
	default List<String> answers(RunResult run) {
		return List.of();
	}

	/**
	 * Writes what comes below the heading.
	 * @param run what was measured
	 * @param html where to
	 */
	void write(RunResult run, Html html);

}
