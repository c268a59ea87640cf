package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.ModeByLoad.Ratio;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.plan.Mode;
import org.jspecify.annotations.Nullable;

/**
 * Which mode for which load: sentences, figures, a picture. What queued mode costs a
 * client, the time until an order is saved, comes first everywhere.
 */
final class ModeOverview {

	/** What is compared at each load, in the order of its importance. */
	private enum Measure {

		SAVED("until saved, sooner", true, ModeByLoad::saved),

		ANSWERED("until answered, sooner", true, ModeByLoad::answer),

		RATE("more saved per second", false, ModeByLoad::rate),

		COST("less CPU for an order", true, ModeByLoad::cost);

		private final String words;

		private final boolean lessIsBetter;

		private final Function<ModeByLoad, @Nullable Ratio> ratio;

		Measure(String words, boolean lessIsBetter, Function<ModeByLoad, @Nullable Ratio> ratio) {
			this.words = words;
			this.lessIsBetter = lessIsBetter;
			this.ratio = ratio;
		}

		/** The better mode; empty if the pairs show no difference. */
		private String better(ModeByLoad load) {
			Ratio known = this.ratio.apply(load);
			Mode greater = (known != null) ? known.greater() : null;
			if (greater == null) {
				return "";
			}
			return ((greater == Mode.QUEUED) == this.lessIsBetter) ? CellGroup.SYNC : CellGroup.QUEUED;
		}

		/** The better mode, how many times, and the interval. */
		private String phrase(ModeByLoad load) {
			Ratio known = this.ratio.apply(load);
			if (known == null) {
				return Figures.NONE;
			}
			String better = better(load);
			if (better.isEmpty()) {
				return "no clear difference (%s)".formatted(range(known.low(), known.high()));
			}
			boolean inverse = better.equals(CellGroup.QUEUED) == this.lessIsBetter;
			return "%s, %s times (%s)".formatted(better,
					Figures.measured(inverse ? 1 / known.median() : known.median()),
					inverse ? range(1 / known.high(), 1 / known.low()) : range(known.low(), known.high()));
		}

	}

	/** The page's styles; the first four are those of the variants. */
	private static final int STYLES = 6;

	private static final int FIRST_STYLE = 4;

	private ModeOverview() {
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
		List<ModeByLoad> known = loads.stream().filter((load) -> measure.ratio.apply(load) != null).toList();
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
						.filter((measure) -> measure.ratio.apply(load) != null)
						.map((measure) -> "%s: %s".formatted(measure.words, measure.phrase(load)))
						.collect(Collectors.joining("; ")),
					failed(load)))
			.toList();
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

	/** The figures that the answer rests on. */
	static void write(List<ModeByLoad> loads, Html html) {
		html.open("div", "class", "verdict").open("div", "class", "figures");
		ModeByLoad.byCapacity(loads).values().stream().map(List::getLast).limit(2).forEach((load) -> {
			tile(load, Measure.SAVED, CellResult::savedP50, html);
			tile(load, Measure.ANSWERED, CellResult::acceptedP50, html);
		});
		html.close().chart(chart(loads)).close();
		html.table(phrases(loads));
	}

	private static void tile(ModeByLoad load, Measure measure, Function<CellResult, @Nullable Double> figure,
			Html html) {
		Double sync = load.sync().median(figure);
		Double queued = load.queued().median(figure);
		if (measure.ratio.apply(load) == null || sync == null || queued == null) {
			return;
		}
		html.open("div").element("small", "%s, %s".formatted(CellGroup.backend(load.capacity()), load.load()));
		html.element("strong", Reliability.sign("%s : %s".formatted(seconds(sync), seconds(queued)), load.marked()));
		html.element("span", "%s, sync : queued".formatted(measure.words.replace(", sooner", "")));
		html.element("small", measure.phrase(load));
		html.close();
	}

	private static String seconds(double millis) {
		return Figures.measured(millis / 1_000) + " s";
	}

	/** The rule behind the sentences. */
	static String rule() {
		return "A pair is a variant in a repetition, once in each mode, in an order that was drawn for each pair. A mode is named if the exact signed-rank test of at least %s pairs finds a difference at 1 %%; of fewer pairs there is no test, and it is named if each of at least two differs by more than %s, which, at the noise that pairs have on shared machines, chance does in fewer than one of a hundred cases. In brackets: the 99 %% interval or, of few pairs, their range; where no difference is clear, that of queued to sync. Times are medians from an order's first try, failures and retries included."
			.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(ModeByLoad.SHOWN_BY));
	}

	/** Each load: the better mode by each measure, and how sure that is. */
	static Table phrases(List<ModeByLoad> loads) {
		List<Column<ModeByLoad>> columns = new ArrayList<>(
				List.of(Column.words("Backend", (load) -> CellGroup.backend(load.capacity())),
						Column.words("load", (ModeByLoad load) -> load.load().toString()).marked(ModeByLoad::marked)));
		for (Measure measure : Measure.values()) {
			columns.add(Column.words(measure.words, measure::phrase));
		}
		columns.add(Column.words("failed calls", ModeOverview::failed));
		columns.add(Column.count("pairs", (load) -> load.rate().pairs()));
		return Table.of("Which mode is better, how many times, and the interval", loads, columns);
	}

	private static Chart chart(List<ModeByLoad> loads) {
		List<Chart.Line> lines = new ArrayList<>();
		// The label is the backend's name without its details.
		ModeByLoad.byCapacity(loads)
			.forEach((capacity, each) -> lines
				.add(new Chart.Line(CellGroup.backend(capacity).replaceFirst(" \\(.*", "").toLowerCase(Locale.ROOT),
						(FIRST_STYLE + lines.size()) % STYLES, false,
						each.stream()
							.map((load) -> new Chart.Point(load.load().size(), load.rate().median(), load.rate().low(),
									load.rate().high(), load.marked(), load.sync().failedShare()))
							.toList())));
		List<Integer> sizes = loads.stream().map((load) -> load.load().size()).distinct().sorted().toList();
		lines.add(new Chart.Line("as many as sync", -1, true,
				sizes.stream().map((size) -> Chart.Point.at(size, 1, false)).toList()));
		double top = loads.stream().mapToDouble((load) -> load.rate().high()).max().orElse(1);
		return new Chart.Lines("Orders saved per second, queued as a multiple of sync",
				"The median ratio against the load, a line for each backend; above 1 the queued mode saves more. Whiskers show the interval, crosses the share of sync calls that failed.",
				330, loads.getFirst().load().kind().words(), "queued to sync", "interval", top, true, sizes, lines);
	}

}
