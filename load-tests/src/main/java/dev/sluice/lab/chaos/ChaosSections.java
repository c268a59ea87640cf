package dev.sluice.lab.chaos;

import java.util.List;

import dev.sluice.lab.kit.page.Section;

/**
 * The sections of {@code lab chaos}, in the order of the page.
 */
public final class ChaosSections {

	private ChaosSections() {
	}

	public static List<Section> all() {
		return List.of(new BalanceSection(), new TimelineSection(), new OutagesSection(), new ProofSection());
	}

}
