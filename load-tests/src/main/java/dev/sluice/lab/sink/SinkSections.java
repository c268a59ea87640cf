package dev.sluice.lab.sink;

import java.util.List;

import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.SinkResult;

/**
 * The sections of {@code lab sink}, in the order of the page.
 */
public final class SinkSections {

	private SinkSections() {
	}

	public static List<Section> of(SinkResult sink) {
		return List.of(new TransfersSection(sink), new WindowSection(sink), new SinkMethodSection(sink));
	}

}
