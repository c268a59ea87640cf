package dev.sluice.lab.report.client;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.report.page.Section;
import dev.sluice.lab.result.ClientResult;

/** The sections of {@code lab client}, in the order of the page. */
public final class ClientSections {

	private ClientSections() {
	}

	public static List<Section> of(ClientResult result) {
		List<Section> sections = new ArrayList<>();
		sections.add(new OverviewSection(result));
		for (int i = 0; i < result.runs().size(); i++) {
			sections.add(new SecondsSection(i + 1, result.runs().get(i)));
		}
		return sections;
	}

}
