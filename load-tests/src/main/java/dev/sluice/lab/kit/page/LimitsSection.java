package dev.sluice.lab.kit.page;

import java.util.List;

import dev.sluice.lab.kit.result.RunResult;

/** The limits of what a run's figures say, and their reasons. */
public final class LimitsSection extends Section {

	private final List<String> sentences;

	/**
	 * @param sentences at least one
	 */
	public LimitsSection(List<String> sentences) {
		super("limits", "What limits it");
		this.sentences = List.copyOf(sentences);
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(this.sentences);
	}

}
