package dev.sluice.lab.chaos;

import java.util.List;

import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.ChaosResult;

/**
 * The sections of {@code lab chaos}, in the order of the page.
 */
public final class ChaosSections {

	private ChaosSections() {
	}

	public static List<Section> of(ChaosResult chaos) {
		return List.of(new BalanceSection(chaos), new TimelineSection(chaos), new OutagesSection(chaos),
				new WitnessSection(chaos));
	}

}
