package dev.sluice.lab.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.measure.PairedComparison;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;

/**
 * What stands before the chapters of several runs: which mode for which load, and what
 * each run answers. It says nothing that the runs' figures do not.
 */
final class Overview {

	private final List<Chapter> chapters;

	/** Those of the same backends and load: no scenarios. */
	private final List<RunResult> comparisons;

	Overview(List<Chapter> chapters) {
		this.chapters = chapters;
		this.comparisons = chapters.stream()
			.map(Chapter::run)
			.filter((run) -> run.finding() instanceof CompareResult compare && compare.scenario() == null)
			.toList();
	}

	void write(Html html) {
		html.open("article", "id", "overview", "aria-labelledby", "overview-title");
		html.open("header").element("h1", "What was measured", "id", "overview-title");
		html.element("p", facts(), "class", "facts").close();
		html.open("nav", "aria-label", "Contents", "class", "contents").open("ol");
		for (Chapter chapter : this.chapters) {
			html.open("li").element("a", chapter.question(), "href", "#" + chapter.id());
			html.element("small", "%s, %s".formatted(chapter.name(), Figures.time(chapter.run().startedAt()))).close();
		}
		html.close().close();
		section(html, "modes", "Which mode for which load?", this::modes);
		section(html, "answers", "What each experiment says", this::answers);
		html.close();
	}

	private static void section(Html html, String id, String title, Consumer<Html> content) {
		String anchor = "overview-" + id;
		html.open("section", "id", anchor, "aria-labelledby", anchor + "-title");
		html.element("h2", title, "id", anchor + "-title");
		content.accept(html);
		html.close();
	}

	private String facts() {
		List<String> machines = this.chapters.stream()
			.map(Chapter::run)
			.map((run) -> "%s, %d cores".formatted(run.environment().cpu(), run.environment().cores()))
			.distinct()
			.toList();
		return "%s runs, on %s".formatted(Figures.count(this.chapters.size()),
				(machines.size() == 1) ? machines.getFirst() : "%d machines, whose figures do not compare: %s"
					.formatted(machines.size(), String.join("; ", machines)));
	}

	private void modes(Html html) {
		List<ModeByLoad> loads = ModeByLoad.of(this.comparisons);
		if (loads.isEmpty()) {
			html.element("p",
					this.comparisons.isEmpty() ? "No run of lab compare is among these: it is what compares the modes."
							: "No load was run in both modes.",
					"class", "answer");
			return;
		}
		html.list(ModeByLoad.sentences(loads), "class", "answer");
		html.chart(chart(loads), table(loads));
		html.element("p",
				"From %s of lab compare. A pair is the same variant in the same repetition, once in each mode; each pair's ratio cancels out what the machine did to both. A mode is named if the interval of the median ratio, at 99 %%, leaves 1 out, and never of fewer than %s pairs. Whiskers reach from the least to the greatest pair. An order that is saved by the queued mode was accepted long before under load: what a client waits for stands in the table. The load is a closed model, at most 1,000 calls in flight: its p99 compares the modes and is no promise. N is the number of orders; %s marks figures of disturbed cells."
					.formatted(
							(this.comparisons.size() == 1) ? "one run"
									: Figures.count(this.comparisons.size()) + " runs",
							Figures.count(PairedComparison.LEAST_PAIRS), Reliability.SIGN),
				"class", "note");
	}

	private static Chart chart(List<ModeByLoad> loads) {
		Map<String, List<ModeByLoad>> byCapacity = loads.stream()
			.collect(Collectors.groupingBy(ModeByLoad::capacity, TreeMap::new, Collectors.toList()));
		List<Chart.Line> lines = new ArrayList<>();
		byCapacity.forEach((capacity,
				each) -> lines.add(new Chart.Line("backend " + capacity, lines.size(),
						each.stream()
							.map((load) -> new Chart.Point(load.orders(), load.ratio().medianRatio(), load.least(),
									load.greatest(), load.marked()))
							.toList())));
		List<Integer> orders = loads.stream().map(ModeByLoad::orders).distinct().sorted().toList();
		lines.add(new Chart.Line("as many", -1,
				orders.stream().map((load) -> new Chart.Point(load, 1, 1, 1, false)).toList()));
		double top = loads.stream().mapToDouble(ModeByLoad::greatest).max().orElse(1);
		return new Chart.Lines("Orders saved a minute, queued as a multiple of sync",
				"The median ratio against the number of orders, a line for each backend; above 1 the queued mode saves more.",
				320, 500, "Orders (N)", "queued to sync", Math.max(top, 1.2), orders, lines);
	}

	private static Table table(List<ModeByLoad> loads) {
		Table table = new Table("Queued to sync, and what clients of each mode see", 2,
				List.of("Backend", "mode", "N", "median ratio", "from", "to", "pairs", "sync calls failed",
						"queued calls failed", "sync p99, ms", "queued p99, ms"));
		for (ModeByLoad load : loads) {
			table.row(load.capacity(), switch (load.choice()) {
				case QUEUED -> "queued";
				case SYNC -> "sync";
				case EITHER -> "no difference";
				case UNSAID -> "too few pairs";
			}, Reliability.sign(Figures.count(load.orders()), load.marked()),
					Figures.measured(load.ratio().medianRatio()), Figures.measured(load.ratio().low()),
					Figures.measured(load.ratio().high()), Figures.count(load.ratio().pairs()),
					Figures.percent(load.sync().failedShare()), Figures.percent(load.queued().failedShare()),
					Figures.measured(load.sync().p99Millis()), Figures.measured(load.queued().p99Millis()));
		}
		return table;
	}

	private void answers(Html html) {
		for (Chapter chapter : this.chapters) {
			html.open("h3").element("a", chapter.question(), "href", "#" + chapter.id()).close();
			html.list(chapter.answers());
			html.element("p", "%s, %s".formatted(chapter.run().command(), Figures.time(chapter.run().startedAt())),
					"class", "note");
		}
	}

}
