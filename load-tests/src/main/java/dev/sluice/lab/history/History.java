package dev.sluice.lab.history;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;

/**
 * Runs over commits. Includes only complete runs with the experiment, machine,
 * infrastructure and limits of the latest one. Changes are those of a run's median;
 * whiskers show its repetitions.
 */
public final class History {

	/** Maximum number of charts; the table has all series. */
	private static final int MAX_CHARTS = 24;

	private static final int HEIGHT = 250;

	private static final int WIDTH = 420;

	private final List<RunResult> runs;

	private final int leftOut;

	private final Map<Series, Changes> series = new LinkedHashMap<>();

	/**
	 * @param all at least one run, in any order
	 */
	public History(List<RunResult> all) {
		List<RunResult> ordered = all.stream().sorted(Comparator.comparing(RunResult::startedAt)).toList();
		this.runs = ordered.stream().filter((run) -> compares(run, ordered.getLast())).toList();
		this.leftOut = ordered.size() - this.runs.size();
		Series.of(this.runs)
			.stream()
			.map((each) -> Map.entry(each, each.changes()))
			.sorted(Comparator.comparing((Map.Entry<Series, Changes> each) -> quiet(each.getValue())))
			.forEach((each) -> this.series.put(each.getKey(), each.getValue()));
	}

	private static boolean quiet(Changes changes) {
		return changes.points().isEmpty() && changes.drift() == null;
	}

	private static boolean compares(RunResult run, RunResult latest) {
		return run.partial() == null && run.experiment().equals(latest.experiment())
				&& run.environment().cpu().equals(latest.environment().cpu())
				&& run.environment().cores() == latest.environment().cores()
				&& run.environment().infrastructure().equals(latest.environment().infrastructure())
				&& setup(run).equals(setup(latest));
	}

	private static String setup(RunResult run) {
		return (run.finding() instanceof CompareResult compare) ? String.valueOf(compare.setup()) : "";
	}

	/** The conclusions; the first says whether the runs suffice to show a change. */
	public List<String> sentences() {
		List<String> sentences = new ArrayList<>();
		if (this.leftOut > 0) {
			sentences.add(
					"%s of %s runs are left out: partial, or of another experiment, machine, infrastructure or limit than the latest."
						.formatted(Figures.count(this.leftOut), Figures.count(this.leftOut + this.runs.size())));
		}
		long evaluated = this.series.values().stream().filter(Changes::hasEnoughRuns).count();
		if (evaluated == 0) {
			sentences.add("%s %s: fewer than %d cannot show a change, however great it is.".formatted(
					Figures.count(this.runs.size()), (this.runs.size() == 1) ? "run" : "runs", Changes.MIN_RUNS));
			return sentences;
		}
		List<String> changes = this.series.entrySet()
			.stream()
			.flatMap((each) -> each.getKey().sentences(each.getValue()).stream())
			.toList();
		sentences.add("%s runs, %s series, %s: by chance alone %s would show a change.".formatted(
				Figures.count(this.runs.size()), Figures.count(evaluated),
				changes.isEmpty() ? "no change"
						: (changes.size() == 1) ? "1 change" : Figures.count(changes.size()) + " changes",
				Figures.measured(evaluated * Changes.LEVEL)));
		sentences.addAll(changes);
		long few = this.series.size() - evaluated;
		if (few > 0) {
			sentences.add("%s series have fewer than %d runs, of which nothing can be said."
				.formatted(Figures.count(few), Changes.MIN_RUNS));
		}
		return sentences;
	}

	/** The page's content. */
	public void write(Html html) {
		html.open("article", "id", "history", "aria-labelledby", "history-title");
		html.open("header").element("h1", "What changed over the commits", "id", "history-title");
		html.element("p",
				"%s runs of lab %s, %s to %s, on %s, %d cores".formatted(Figures.count(this.runs.size()),
						this.runs.getLast().experiment(), Figures.time(this.runs.getFirst().startedAt()),
						Figures.time(this.runs.getLast().startedAt()), this.runs.getLast().environment().cpu(),
						this.runs.getLast().environment().cores()),
				"class", "facts");
		html.close();
		html.open("section", "id", "history-changes").element("h2", "Which figures changed?");
		html.list(sentences(), "class", "answer");
		if (!this.series.isEmpty()) {
			html.charts(this.series.entrySet().stream().limit(MAX_CHARTS).map(this::chart).toList(), figures());
			if (this.series.size() > MAX_CHARTS) {
				html.element("p", "%d series have a chart, those that changed first; the table has all %d."
					.formatted(MAX_CHARTS, this.series.size()), "class", "note");
			}
			levels().write(html);
		}
		html.element("p",
				("A change splits the runs so that their medians differ more than in 99 of 100 random orders of them"
						+ " (CUSUM of ranks, %s permutations, binary segmentation, each level at least %d runs)."
						+ " Its interval is Mann and Whitney's for the ratio of the levels at 95 %%; as the split was"
						+ " chosen for its size, it is a little too narrow. The place's interval is a likelihood"
						+ " profile. A drift is reported instead of steps if a line explains the figures better.")
					.formatted("1,999", Changes.MIN_RUNS_ON_A_SIDE),
				"class", "note");
		html.close().close();
	}

	private Chart chart(Map.Entry<Series, Changes> each) {
		Series series = each.getKey();
		int[] bounds = each.getValue().bounds();
		List<Chart.Level> levels = IntStream.range(0, bounds.length - 1)
			.mapToObj((i) -> new Chart.Level(bounds[i], bounds[i + 1] - 1,
					Changes.median(series.moments()
						.subList(bounds[i], bounds[i + 1])
						.stream()
						.mapToDouble(Series.Moment::value)
						.sorted()
						.toArray())))
			.toList();
		List<Chart.Point> points = IntStream.range(0, series.moments().size()).mapToObj((i) -> {
			Series.Moment moment = series.moments().get(i);
			return new Chart.Point(i, moment.value(), moment.low(), moment.high(), moment.marked(), 0);
		}).toList();
		List<String> sentences = series.sentences(each.getValue());
		return new Chart.Steps(series.name(), sentences.isEmpty() ? "No change." : String.join(" ", sentences), HEIGHT,
				WIDTH, series.measure(), series.moments().stream().map(Series.Moment::commit).toList(), points, levels);
	}

	private Table figures() {
		Table table = new Table("Medians of the runs", 4,
				List.of("Series", "figure", "commit", "started", "median", "least", "greatest"));
		this.series.keySet()
			.forEach(
					(each) -> each.moments()
						.forEach((moment) -> table.row(each.name(), each.measure(), moment.commit(),
								Figures.time(moment.time()),
								Reliability.sign(Figures.measured(moment.value()), moment.marked()),
								Figures.measured(moment.low()), Figures.measured(moment.high()))));
		return table;
	}

	private Table levels() {
		Table table = new Table("Series and their changes", 2,
				List.of("Series", "figure", "runs", "changes", "latest", "of the level before", "95 % interval"));
		this.series.forEach((each, changes) -> {
			Changes.Point last = changes.points().isEmpty() ? null : changes.points().getLast();
			table.row(each.name(), each.measure(), Figures.count(each.moments().size()),
					!changes.hasEnoughRuns() ? "too few runs"
							: (changes.drift() != null) ? "drift" : Figures.count(changes.points().size()),
					Figures.measured(each.moments().getLast().value()),
					(last != null) ? Series.signed(last.ratio()) : Figures.NONE,
					(last != null && last.low() > 0)
							? "%s to %s".formatted(Series.signed(last.low()), Series.signed(last.high()))
							: Figures.NONE);
		});
		return table;
	}

}
