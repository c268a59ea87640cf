package dev.sluice.lab.report.causes;

import java.util.List;

import dev.sluice.lab.report.page.Section;
import dev.sluice.lab.result.CausesResult;

/** The sections of {@code lab compare --causes}, in the order of the page. */
public final class CausesSections {

	private CausesSections() {
	}

	public static List<Section> of(CausesResult result) {
		Effects effects = new Effects(result);
		return List.of(new AnswerSection(effects), new SharesSection(effects), new GatewaySection(effects),
				new CellsSection(effects));
	}

}
