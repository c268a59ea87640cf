package dev.sluice.lab.client;

import java.util.ArrayList;
import java.util.List;

import dev.sluice.lab.kit.page.LimitsSection;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.ClientResult;

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
		sections.add(new LimitsSection(List.of(
				"An open model. A client that shares a machine with its server takes CPU from it: its CPU for a request and how late it sent stand in the table.",
				"Each case was run once. A server that takes a fixed time is a timer: it has no queue and no limit of its own, so that what is seen is the client's.",
				"Threads are the platform threads of the whole client process, those of its JVM among them.")));
		return sections;
	}

}
