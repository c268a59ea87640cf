package dev.sluice.lab.grid;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * Throughput of non-blocking gateways as a multiple of blocking ones, next to the
 * reference.
 */
final class RatioSection extends Section {

	private final Grid grid;

	RatioSection(Grid grid) {
		super("ratio", "How much more does a gateway answer that does not block?");
		this.grid = grid;
	}

	@Override
	public List<String> answers(RunResult run) {
		if (this.grid.result().cells().isEmpty()) {
			return List.of("No cell was measured.");
		}
		List<String> sentences = new ArrayList<>();
		int load = this.grid.comparable();
		for (long delay : this.grid.delays()) {
			Double small = ratio(Grid.ASYNC, this.grid.smallPool(), delay, load);
			Double usual = ratio(Grid.ASYNC, "servlet-platform", delay, load);
			sentences.add("%d ms: %s times as much as %d blocked threads, %s times as much as 200.".formatted(delay,
					Figures.measured(small), this.grid.result().smallPool(), Figures.measured(usual)));
		}
		return sentences;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(answers(run), "class", "answer");
		if (this.grid.result().cells().isEmpty()) {
			return;
		}
		int load = this.grid.comparable();
		Table table = new Table(
				"Throughput of servlet-async with %s requests in flight, as a multiple".formatted(Figures.count(load)),
				1, List.of("Backend's delay", "of %d threads".formatted(this.grid.result().smallPool()),
						"the reference's", "of 200 threads", "of virtual threads", "of reactive"));
		for (long delay : this.grid.delays()) {
			table.row(delay + " ms", Figures.measured(ratio(Grid.ASYNC, this.grid.smallPool(), delay, load)),
					Figures.measured(Reference.at(delay).map(Reference.Row::ratio).orElse(null)),
					Figures.measured(ratio(Grid.ASYNC, "servlet-platform", delay, load)),
					Figures.measured(ratio(Grid.ASYNC, "servlet-virtual", delay, load)),
					Figures.measured(ratio(Grid.ASYNC, "reactive", delay, load)));
		}
		table.write(html);
		html.element("p",
				"The reference does not say how large its pool was. %d threads are what its figures imply: at 500 ms a 6.5th of 184 answers per second, each keeping a thread busy for half a second."
					.formatted(this.grid.result().smallPool()),
				"class", "note");
	}

	private @Nullable Double ratio(String one, String other, long delay, int load) {
		Optional<Cell> first = this.grid.at(one, delay, load);
		Optional<Cell> second = this.grid.at(other, delay, load);
		return (first.isPresent() && second.isPresent() && second.get().perSecond() > 0)
				? first.get().perSecond() / second.get().perSecond() : null;
	}

}
