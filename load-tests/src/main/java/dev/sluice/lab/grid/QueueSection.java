package dev.sluice.lab.grid;

import java.util.Arrays;
import java.util.List;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.RunResult;

/** Executing and waiting requests. */
final class QueueSection extends Section {

	private static final int ROW_HEIGHT = 34;

	/** Long enough for the number of requests at the backend to reach its maximum. */
	private static final long SHOWN_DELAY_MILLIS = 100;

	private final Grid grid;

	QueueSection(Grid grid) {
		super("queue", "How many execute, how many queue?");
		this.grid = grid;
	}

	@Override
	public void write(RunResult run, Html html) {
		int load = this.grid.comparable();
		List<Cell> cells = this.grid.variants()
			.stream()
			.flatMap((variant) -> this.grid.at(variant, SHOWN_DELAY_MILLIS, load).stream())
			.toList();
		html.element("p",
				"Executing: the maximum number of requests in flight that were at the backend together. The others waited in the gateway for a thread. A gateway answers 503 to a request that it does not let wait.");
		if (!cells.isEmpty()) {
			html.chart(new Chart.Stack(
					"%s in flight, backend takes %d ms".formatted(Figures.count(load), SHOWN_DELAY_MILLIS),
					"Executing and queued requests, a bar for each variant.", cells.size() * ROW_HEIGHT + 90, 560,
					"requests in flight", load, List.of("executing", "queued"),
					cells.stream()
						.map((cell) -> new Chart.StackRow(cell.variant(), Grid.style(cell.variant()), Grid.marked(cell),
								Arrays.asList((double) cell.executingMost(), (double) cell.queued())))
						.toList()),
					table(cells));
		}
	}

	private static Table table(List<Cell> cells) {
		Table table = new Table("Requests", 1, List.of("Variant", "executing, at most", "queued", "answered 503"));
		cells.forEach((cell) -> table.row(cell.variant(), Figures.count(cell.executingMost()),
				Figures.count(cell.queued()), Figures.count(cell.refused())));
		return table;
	}

}
