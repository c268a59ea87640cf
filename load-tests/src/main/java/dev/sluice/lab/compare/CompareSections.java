package dev.sluice.lab.compare;

import java.util.List;

import dev.sluice.lab.kit.page.Section;

/**
 * The sections of {@code lab compare}, in the order of the page.
 */
public final class CompareSections {

	private CompareSections() {
	}

	public static List<Section> all() {
		return List.of(new SummarySection(), new ThroughputSection(), new LatencySection(), new SecondsSection(),
				new CostSection(), new DifferencesSection(), new ReferenceSection());
	}

	/** Those of a scenario: it asks a question of its own, and its loads may be paced. */
	public static List<Section> ofScenario() {
		return List.of(new ThroughputSection(), new LatencySection(), new SecondsSection(), new CostSection(),
				new DifferencesSection());
	}

}
