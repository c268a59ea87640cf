package dev.sluice.lab.grid;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;

/** Every cell, in the order they ran. */
final class CellsSection extends Section {

	private final Grid grid;

	CellsSection(Grid grid) {
		super("cells", "All cells");
		this.grid = grid;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.details("Figures of all %s cells".formatted(Figures.count(this.grid.result().cells().size())),
				ResponseSection.table(this.grid.result().cells()));
		long marked = this.grid.result().cells().stream().filter(Grid::marked).count();
		html.element("p",
				"A cell lasts from its first request to its last answer. Load generator, gateway and backend share the machine: where the backend takes no time, rates are those of all three. In %s cells other processes used more than %s of the CPU, or it is not known what they used; they are marked %s."
					.formatted(Figures.count(marked), Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN),
				"class", "note");
	}

}
