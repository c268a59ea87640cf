package dev.sluice.lab.report;

import java.util.List;
import java.util.function.Consumer;

import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.compare.page.ModeOverview;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;

/**
 * The overview before the chapters of several runs: which mode for which load, and each
 * run's answer. Adds no figures to those of the runs.
 */
final class Overview {

	private final List<Chapter> chapters;

	/** The comparisons with the standard backends and load, without scenarios. */
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
		html.open("section", "id", anchor).element("h2", title);
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
		for (Load.Kind kind : Load.Kind.values()) {
			List<ModeByLoad> ofKind = loads.stream().filter((load) -> load.load().kind() == kind).toList();
			if (!ofKind.isEmpty()) {
				html.list(ModeOverview.answers(ofKind), "class", "answer");
				ModeOverview.write(ofKind, html);
			}
		}
		html.note(ModeOverview.rule());
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
