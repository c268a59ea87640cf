package dev.sluice.lab.kit.page;

import java.util.List;

/**
 * One part of a run's report, written for the page and, where its methods say so, for the
 * terminal. It shows whatever a run holds: an interrupted run may lack every cell, and a
 * cell any figure.
 */
public final class Section extends Html {

	private final String id;

	private final String title;

	private final StringBuilder text = new StringBuilder();

	/**
	 * @param id its name in links, different from those of the other sections of a run:
	 * letters, digits and hyphens
	 * @param title its heading, plain text
	 */
	public Section(String id, String title) {
		this.id = id;
		this.title = title;
	}

	public String id() {
		return this.id;
	}

	public String title() {
		return this.title;
	}

	/** Adds the run's answers, in plain sentences; each is a line of the terminal. */
	public Section answers(List<String> answers) {
		list(answers, "class", "answer");
		return terminal(answers);
	}

	/** Adds a table that the answers rest on; the terminal shows it, too. */
	public Section shown(Table table) {
		table(table);
		return terminal(table);
	}

	/** Adds lines that only the terminal shows. */
	public Section terminal(List<String> lines) {
		lines.forEach((line) -> this.text.append(line).append(System.lineSeparator()));
		return this;
	}

	/** Adds a table that only the terminal shows, after an empty line. */
	public Section terminal(Table table) {
		String before = text();
		if (!before.isBlank() && !before.endsWith(System.lineSeparator().repeat(2))) {
			this.text.append(System.lineSeparator());
		}
		this.text.append(table.text());
		return this;
	}

	/** What the terminal shows of it; may be empty. */
	public String text() {
		return this.text.toString();
	}

	/** The section with its heading. */
	@Override
	public String toString() {
		return "<section id=\"%s\"><h2>%s</h2>\n%s</section>\n".formatted(this.id, new Html().text(this.title),
				super.toString());
	}

}
