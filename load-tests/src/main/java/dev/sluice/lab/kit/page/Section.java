package dev.sluice.lab.kit.page;

import java.util.List;

import dev.sluice.lab.kit.result.RunResult;

/**
 * One part of a run's report. A section renders whatever a run holds: an interrupted run
 * may lack every cell, and a cell any figure.
 */
public abstract class Section {

	private final String id;

	private final String title;

	/**
	 * @param id its name in links, different from those of the other sections of a run:
	 * letters and hyphens
	 * @param title its heading, plain text
	 */
	protected Section(String id, String title) {
		this.id = id;
		this.title = title;
	}

	public final String id() {
		return this.id;
	}

	public final String title() {
		return this.title;
	}

	/**
	 * The run's answers, if this section states any; the overview of several runs repeats
	 * them.
	 * @param run what was measured
	 * @return plain sentences; empty if the section answers nothing
	 */
	public List<String> answers(RunResult run) {
		return List.of();
	}

	/**
	 * Writes the content below the heading.
	 * @param run what was measured
	 * @param html where to
	 */
	public abstract void write(RunResult run, Html html);

}
