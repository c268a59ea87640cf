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

	/** In links. */
	String id() {
		return "run-" + this.number;
	}

	/** The experiment's. */
	String name() {
		return "lab " + this.run.experiment();
	}

	/** What the run asks; the first section's heading. */
	String question() {
		return this.sections.getFirst().title();
	}

	List<String> answers() {
		return this.sections.stream().flatMap((section) -> section.answers(this.run).stream()).toList();
	}

}
