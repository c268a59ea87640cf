package dev.sluice.lab.kit.page;

import java.util.List;
import java.util.function.Consumer;

/**
 * One part of a run's report. It shows whatever a run holds: an interrupted run may lack
 * every cell, and a cell any figure.
 *
 * @param id its name in links, different from those of the other sections of a run:
 * letters, digits and hyphens
 * @param title its heading, plain text
 * @param answers the run's answers, if this section states any, in plain sentences
 * @param tables what the answers rest on; the terminal shows them, too
 * @param content writes what follows
 */
public record Section(String id, String title, List<String> answers, List<Table> tables, Consumer<Html> content) {

	public Section {
		answers = List.copyOf(answers);
		tables = List.copyOf(tables);
	}

	/** A section without tables for the terminal. */
	public Section(String id, String title, List<String> answers, Consumer<Html> content) {
		this(id, title, answers, List.of(), content);
	}

	/** A section that answers nothing. */
	public Section(String id, String title, Consumer<Html> content) {
		this(id, title, List.of(), content);
	}

	/** The answers for the terminal, each on a line. */
	public static String text(List<String> answers) {
		return String.join("", answers.stream().map("%s%n"::formatted).toList());
	}

	/** What the terminal shows of it; may be empty. */
	public String text() {
		return text(this.answers) + ((this.answers.isEmpty() || this.tables.isEmpty()) ? "" : System.lineSeparator())
				+ String.join("", this.tables.stream().map(Table::text).toList());
	}

	/** Writes what follows the heading. */
	public void write(Html html) {
		html.list(this.answers, "class", "answer");
		this.tables.forEach(html::table);
		this.content.accept(html);
	}

}
