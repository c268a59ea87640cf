package dev.sluice.lab.kit.page;

import java.util.List;

import dev.sluice.lab.kit.result.RunResult;

/** What a run's figures do not show, and why. */
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
