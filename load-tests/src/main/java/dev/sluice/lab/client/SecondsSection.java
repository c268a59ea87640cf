package dev.sluice.lab.client;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.result.ClientResult.Stopped;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** One run, second by second. */
final class SecondsSection extends Section {

	private static final int HEIGHT = 520;

	private static final int WIDTH = 760;

	private final Run run;

	SecondsSection(int number, Run run) {
		super("run-" + number, run.name());
		this.run = run;
	}

	@Override
	public void write(RunResult result, Html html) {
		html.element("p", "%s to %s, %s requests per second for %s s.".formatted(this.run.mode(), this.run.target(),
				Figures.measured(this.run.requestsPerSecond()), Figures.measured(this.run.millis() / 1_000.0)));
		if (this.run.seconds().isEmpty()) {
			return;
		}
		List<Chart.Panel> panels = List.of(panel("Outstanding requests", 0, (second) -> (double) second.outstanding()),
				panel("Responses in the second", 1, (second) -> (double) second.answeredNow()),
				panel("Mean latency of those, ms", 2, Second::latencyMillis),
				panel("Platform threads of the client", 3, (second) -> (double) second.threads()));
		html.chart(new Chart.Seconds("Second by second",
				"Outstanding requests, responses, latency and threads at the end of each second.", HEIGHT, WIDTH,
				this.run.seconds().size(), panels, spans()), table());
	}

	private List<Chart.Span> spans() {
		Stopped stopped = this.run.stopped();
		return (stopped == null) ? List.of()
				: List.of(new Chart.Span("target", "stopped", 1, stopped.fromSecond(), stopped.toSecond()));
	}

	private Chart.Panel panel(String name, int style, Function<Second, @Nullable Double> figure) {
		List<@Nullable Double> values = new ArrayList<>();
		this.run.seconds().forEach((second) -> values.add(figure.apply(second)));
		double top = values.stream().filter(Objects::nonNull).mapToDouble(Double::doubleValue).max().orElse(0);
		return new Chart.Panel(name, style, "area", false, Math.max(top, 1), values);
	}

	private Table table() {
		Table table = new Table("At the end of each second", 0, List.of("Second", "requests", "responses",
				"outstanding", "sent", "answered", "latency, ms", "threads"));
		this.run.seconds()
			.forEach((second) -> table.row(Figures.count(second.second()), Figures.count(second.sent()),
					Figures.count(second.answered()), Figures.count(second.outstanding()),
					Figures.count(second.sentNow()), Figures.count(second.answeredNow()),
					Figures.measured(second.latencyMillis()), Figures.count(second.threads())));
		return table;
	}

}
