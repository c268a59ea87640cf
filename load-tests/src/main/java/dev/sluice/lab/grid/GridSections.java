package dev.sluice.lab.grid;

import java.util.List;

import dev.sluice.lab.kit.page.LimitsSection;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.GridResult;

/** The sections of {@code lab grid}, in the order of the page. */
public final class GridSections {

	private GridSections() {
	}

	public static List<Section> of(GridResult result) {
		Grid grid = new Grid(result);
		return List.of(new RatioSection(grid), new ThroughputSection(grid), new QueueSection(grid),
				new ResponseSection(grid), new CellsSection(grid),
				new LimitsSection(List.of(
						"A closed model: a client waits for its answer before it sends again, so that stalls are under-represented and a faster gateway gets more requests.",
						"Each cell was run once, one gateway after the other: what the machine did meanwhile is in the ratios between gateways.",
						"Load generator, gateway and backend share this machine: where the backend takes no time, a rate is that of all three. The backend's delay is a timer, without a limit of its own.",
						"A gateway that has just been started spends more CPU on a request, until its code is compiled. After a quick run's warm-up it still does: its rates without a delay are those of a young gateway, a whole run's are higher.")));
	}

}
