package dev.sluice.lab.causes;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.CausesResult;

/** The sections of {@code lab compare --causes}, in the order of the page. */
public final class CausesSections {

	private CausesSections() {
	}

	public static List<Section> of(CausesResult result) {
		Effects effects = new Effects(result);
		List<Section> sections = new ArrayList<>(List.of(new AnswerSection(effects)));
		// The quick form has no cell with all factors at once.
		if (result.settings().stream().anyMatch((setting) -> setting.name().equals(result.all()))) {
			sections.add(new SharesSection(effects));
		}
		sections.addAll(List.of(new GatewaySection(effects), new CellsSection(effects)));
		return sections;
	}

}
