package dev.sluice.lab.drain;

import java.util.List;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Marks;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.RunResult;

/** The consumer's rate, with nothing before it. */
public final class DrainSection implements Section {

	private static final int SECONDS = 60;

	@Override
	public String id() {
		return "drain";
	}

	@Override
	public String title() {
		return "How fast does the consumer alone deliver?";
	}

	@Override
	public List<String> answers(RunResult run) {
		return run.cells()
			.stream()
			.map((cell) -> "%s orders that waited in Kafka: %s a second, backend %s.".formatted(
					Marks.sign(Figures.count(cell.cell().orders()), Marks.marked(cell)),
					Figures.measured(cell.ordersPerMinute() / SECONDS), cell.cell().capacity()))
			.toList();
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(answers(run), "class", "answer");
	}

}
