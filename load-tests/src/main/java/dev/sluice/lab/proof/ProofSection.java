package dev.sluice.lab.proof;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProofResult.Series;
import dev.sluice.lab.kit.result.ProofResult.Span;
import dev.sluice.lab.kit.result.ProofResult.Timeline;
import dev.sluice.lab.kit.result.RunResult;

/** One proof: its limits, the measured figures and its timeline. */
final class ProofSection extends Section {

	private static final int PANEL_HEIGHT = 110;

	private static final int LANE_HEIGHT = 22;

	private final ProofResult proof;

	ProofSection(ProofResult proof) {
		super("proof-" + proof.proof(), proof.question());
		this.proof = proof;
	}

	@Override
	public void write(RunResult run, Html html) {
		html.element("p", "%s: %s.".formatted(this.proof.proof(), Verdicts.of(this.proof)), "class", "answer");
		if (!this.proof.checks().isEmpty()) {
			Table table = new Table("Limits and measured values", 2, List.of("What", "verdict", "must be", "measured"));
			this.proof.checks()
				.forEach((check) -> table.row(check.what(), check.holds() ? "reached" : "NOT REACHED",
						Verdicts.limit(check), Verdicts.measured(check)));
			table.write(html);
		}
		Timeline timeline = this.proof.timeline();
		if (timeline != null) {
			html.chart(chart(timeline), table(timeline));
		}
		if (!this.proof.setting().isEmpty()) {
			Table setting = new Table("How", 2, List.of("Name", "Value"));
			new TreeMap<>(this.proof.setting()).forEach(setting::row);
			setting.write(html);
		}
	}

	private Chart chart(Timeline timeline) {
		List<Chart.Panel> panels = new ArrayList<>();
		for (Series series : timeline.series()) {
			double top = series.values()
				.stream()
				.filter(Objects::nonNull)
				.mapToDouble(Double::doubleValue)
				.max()
				.orElse(0);
			panels.add(new Chart.Panel(series.name(), panels.size() % 4, "area", false, Math.max(top, 1),
					series.values()));
		}
		List<Chart.Span> spans = timeline.spans()
			.stream()
			.map((span) -> new Chart.Span(span.what(), span.how(), style(span), span.from(), span.to()))
			.toList();
		long lanes = spans.stream().map(Chart.Span::lane).distinct().count();
		return new Chart.Seconds("What went on", "Second by second, with the test's actions on the same axis.",
				(int) (panels.size() * PANEL_HEIGHT + lanes * LANE_HEIGHT + 50), 860, timeline.seconds(), panels,
				spans);
	}

	/** A colour for each kind. */
	private static int style(Span span) {
		return switch (span.how()) {
			case "kill" -> 0;
			case "freeze" -> 1;
			case "leave" -> 3;
			default -> 2;
		};
	}

	private static Table table(Timeline timeline) {
		List<String> heads = new ArrayList<>(List.of("Second"));
		timeline.series().forEach((series) -> heads.add(series.name()));
		Table table = new Table("Second by second", 0, heads);
		for (int second = 0; second < timeline.seconds(); second++) {
			List<String> row = new ArrayList<>(List.of(Figures.count(second)));
			for (Series series : timeline.series()) {
				row.add(Figures.measured((second < series.values().size()) ? series.values().get(second) : null));
			}
			table.row(row);
		}
		return table;
	}

}
