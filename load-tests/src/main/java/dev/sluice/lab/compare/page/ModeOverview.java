package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.ModeByLoad.Measure;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;

/**
 * Which mode for which load: sentences, figures, a picture. What queued mode costs a
 * client, the time until an order is saved, comes first everywhere.
 */
final class ModeOverview {

	/** The page's styles; the first four are those of the variants. */
	private static final int STYLES = 6;

	private static final int FIRST_STYLE = 4;

	private ModeOverview() {
	}

	static Section section(RunResult run) {
		Section section = new Section("summary", "Which mode for which load?");
		List<ModeByLoad> loads = ModeByLoad.of(run);
		if (loads.isEmpty()) {
			return section.answers(List.of("No load was measured in both modes."));
		}
		section.answers(answers(loads)).terminal(lines(loads));
		section.open("div", "class", "verdict").open("div", "class", "figures");
		ModeByLoad.byCapacity(loads).values().stream().map(List::getLast).limit(2).forEach((load) -> {
			tile(load, Measure.SAVED, section);
			tile(load, Measure.ANSWERED, section);
		});
		section.close().chart(chart(loads)).close();
		section.table(phrases(loads));
		section.open("details").element("summary", "How this is decided").note(rule()).close();
		return section;
	}

	/** The answer, a sentence for each backend. */
	static List<String> answers(List<ModeByLoad> loads) {
		return ModeByLoad.byCapacity(loads)
			.entrySet()
			.stream()
			.map((entry) -> "%s: %s.".formatted(CellGroup.backend(entry.getKey()), Stream
				.of(winners(entry.getValue(), Measure.SAVED, "saves an order sooner") + backlog(entry.getValue()),
						winners(entry.getValue(), Measure.ANSWERED, "answers sooner"), failed(entry.getValue()))
				.filter((clause) -> !clause.isEmpty())
				.collect(Collectors.joining("; "))))
			.toList();
	}

	/** Names the loads at which each mode is better. */
	private static String winners(List<ModeByLoad> loads, Measure measure, String does) {
		List<ModeByLoad> known = loads.stream().filter((load) -> measure.of(load) != null).toList();
		return Stream.of(CellGroup.SYNC, CellGroup.QUEUED, "").flatMap((mode) -> {
			List<ModeByLoad> at = known.stream().filter((load) -> measure.better(load).equals(mode)).toList();
			return at.isEmpty() ? Stream.of()
					: Stream.of("%s %s".formatted(mode.isEmpty() ? "no clear difference" : mode + " " + does,
							(at.size() == known.size()) ? "at every load"
									: "at " + at.getFirst().load().kind().text(sizes(at))));
		}).collect(Collectors.joining(", "));
	}

	/** The limit of the lab behind the time until queued orders are saved. */
	private static String backlog(List<ModeByLoad> loads) {
		return loads.stream().anyMatch((load) -> load.hasBacklog() && Measure.SAVED.better(load).equals(CellGroup.SYNC))
				? " (a queued one waits behind up to %s placed before it, a limit of this run)"
					.formatted(Figures.count(ModeByLoad.MAX_BACKLOG))
				: "";
	}

	private static String failed(List<ModeByLoad> loads) {
		double sync = loads.stream().mapToDouble((load) -> load.sync().failedShare()).max().orElse(0);
		double queued = loads.stream().mapToDouble((load) -> load.queued().failedShare()).max().orElse(0);
		return (sync == 0 && queued == 0) ? "no call fails" : "of the calls, up to %s fail with sync, %s with queued"
			.formatted(Figures.percent(sync), (queued > 0) ? Figures.percent(queued) : "none");
	}

	private static String failed(ModeByLoad load) {
		return (load.sync().failedShare() == 0 && load.queued().failedShare() == 0) ? "none" : "sync %s, queued %s"
			.formatted(Figures.percent(load.sync().failedShare()), Figures.percent(load.queued().failedShare()));
	}

	/** A line for each load. */
	static List<String> lines(List<ModeByLoad> loads) {
		return loads.stream()
			.map((load) -> "%s, %s: %s; failed calls: %s".formatted(CellGroup.backend(load.capacity()),
					Reliability.sign(load.load().toString(), load.marked()),
					Stream.of(Measure.values())
						.filter((measure) -> measure.of(load) != null)
						.map((measure) -> "%s: %s".formatted(measure.words, phrase(measure, load)))
						.collect(Collectors.joining("; ")),
					failed(load)))
			.toList();
	}

	/** The better mode, how many times, and the interval. */
	private static String phrase(Measure measure, ModeByLoad load) {
		PairedComparison known = measure.of(load);
		if (known == null) {
			return Figures.NONE;
		}
		String better = measure.better(load);
		if (better.isEmpty()) {
			return "no clear difference (%s)".formatted(range(known.low(), known.high()));
		}
		return (better.equals(CellGroup.QUEUED) == measure.lessIsBetter)
				? phrase(better, 1 / known.medianRatio(), 1 / known.high(), 1 / known.low())
				: phrase(better, known.medianRatio(), known.low(), known.high());
	}

	private static String phrase(String better, double times, double least, double greatest) {
		return "%s, %s times (%s)".formatted(better, Figures.measured(times), range(least, greatest));
	}

	private static String sizes(List<ModeByLoad> loads) {
		return loads.stream()
			.map((load) -> Reliability.sign(Figures.count(load.load().size()), load.marked()))
			.collect(Collectors.joining(", "));
	}

	private static String range(double least, double greatest) {
		String from = Figures.measured(least);
		String to = Figures.measured(greatest);
		return from.equals(to) ? from : "%s to %s".formatted(from, to);
	}

	private static void tile(ModeByLoad load, Measure measure, Html html) {
		Double sync = load.sync().median(measure.figure);
		Double queued = load.queued().median(measure.figure);
		if (measure.of(load) == null || sync == null || queued == null) {
			return;
		}
		html.open("div").element("small", "%s, %s".formatted(CellGroup.backend(load.capacity()), load.load()));
		html.element("strong", Reliability.sign("%s : %s".formatted(seconds(sync), seconds(queued)), load.marked()));
		html.element("span", "%s, sync : queued".formatted(measure.words.replace(", sooner", "")));
		html.element("small", phrase(measure, load));
		html.close();
	}

	private static String seconds(double millis) {
		return Figures.measured(millis / 1_000) + " s";
	}

	/** The rule behind the sentences. */
	private static String rule() {
		return "A pair is a variant in a repetition, once in each mode, in an order that was drawn for each pair. A mode is named if the exact signed-rank test of at least %s pairs finds a difference at 1 %%; of fewer pairs there is no test, and it is named if each of at least two differs by more than %s, which, at the noise that pairs have on shared machines, chance does in fewer than one of a hundred cases. In brackets: the 99 %% interval or, of few pairs, their range; where no difference is clear, that of queued to sync. Times are medians from an order's first try, failures and retries included."
			.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(ModeByLoad.SHOWN_BY));
	}

	/** Each load: the better mode by each measure, and how sure that is. */
	static Table phrases(List<ModeByLoad> loads) {
		List<Column<ModeByLoad>> columns = new ArrayList<>(
				List.of(Column.words("Backend", (load) -> CellGroup.backend(load.capacity())),
						Column.words("load", (ModeByLoad load) -> load.load().toString()).marked(ModeByLoad::marked)));
		for (Measure measure : Measure.values()) {
			columns.add(Column.words(measure.words, (load) -> phrase(measure, load)));
		}
		columns.add(Column.words("failed calls", ModeOverview::failed));
		columns.add(Column.count("pairs", (load) -> load.pairs().size()));
		return Table.of("Which mode is better, how many times, and the interval", loads, columns);
	}

	private static Chart chart(List<ModeByLoad> loads) {
		List<Chart.Line> lines = new ArrayList<>();
		// The label is the backend's name without its details.
		ModeByLoad.byCapacity(loads)
			.forEach((capacity, each) -> lines.add(new Chart.Line(
					CellGroup.backend(capacity).replaceFirst(" \\(.*", "").toLowerCase(Locale.ROOT),
					(FIRST_STYLE + lines.size()) % STYLES, false, each.stream().map(ModeOverview::point).toList())));
		List<Integer> sizes = loads.stream().map((load) -> load.load().size()).distinct().sorted().toList();
		lines.add(new Chart.Line("as many as sync", -1, true,
				sizes.stream().map((size) -> Chart.Point.at(size, 1, false)).toList()));
		return new Chart.Lines("Orders saved per second, queued as a multiple of sync",
				loads.getFirst().load().kind().words(), "queued to sync", "interval", true, null, sizes, lines);
	}

	private static Chart.Point point(ModeByLoad load) {
		PairedComparison rate = load.rate();
		return new Chart.Point(load.load().size(), rate.medianRatio(), rate.low(), rate.high(), load.marked(),
				load.sync().failedShare());
	}

}
