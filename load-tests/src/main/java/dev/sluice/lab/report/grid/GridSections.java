package dev.sluice.lab.report.grid;

import java.util.List;

import dev.sluice.lab.report.page.Section;
import dev.sluice.lab.result.GridResult;

/** The sections of {@code lab grid}, in the order of the page. */
public final class GridSections {

	private GridSections() {
	}

	public static List<Section> of(GridResult result) {
		Grid grid = new Grid(result);
		return List.of(new RatioSection(grid), new ThroughputSection(grid), new QueueSection(grid),
				new ResponseSection(grid), new CellsSection(grid));
	}

}
