package dev.sluice.lab.kit.page;

import java.util.List;

import dev.sluice.lab.kit.result.RunResult;

/**
 * What a run's figures do not say, and why.
 *
 * @param sentences at least one
 */
public record LimitsSection(List<String> sentences) implements Section {

	public LimitsSection {
		sentences = List.copyOf(sentences);
	}

	@Override
	public String id() {
		return "limits";
	}

	@Override
	public String title() {
		return "What limits it";
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(this.sentences);
	}

}
