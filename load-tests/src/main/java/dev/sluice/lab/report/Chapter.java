package dev.sluice.lab.report;

import java.util.List;

import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;

/**
 * A run on a page.
 *
 * @param number from 1
 * @param sections in the order of the page
 */
record Chapter(int number, RunResult run, List<Section> sections) {

	Chapter {
		sections = List.copyOf(sections);
	}

	/** Used in links. */
	String id() {
		return "run-" + this.number;
	}

	/** Name of the experiment. */
	String name() {
		return "lab " + this.run.experiment();
	}

	/** The run's question, which is the first section's heading. */
	String question() {
		return this.sections.getFirst().title();
	}

	List<String> answers() {
		return this.sections.stream().flatMap((section) -> section.answers().stream()).toList();
	}

}
