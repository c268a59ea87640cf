package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.compare.figures.ModeByLoad.Choice;
import dev.sluice.lab.compare.figures.ModeByLoad.Ratio;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.statistics.PairedComparison;
import org.jspecify.annotations.Nullable;

/** Which mode for which load: sentences, figures, a picture. */
final class ModeOverview {

	private static final int MAX_FIGURES = 3;

	private ModeOverview() {
	}

	/** The answer, a sentence for each backend. */
	static List<String> answers(List<ModeByLoad> loads) {
		return ModeByLoad.byCapacity(loads).entrySet().stream().map((entry) -> {
			List<ModeByLoad> each = entry.getValue();
			String answer = words(each, ModeByLoad::answer, "sync answers sooner", "queued answers sooner",
					"both answer as soon");
			return "%s: %s%s.".formatted(Coordinates.backend(entry.getKey()),
					words(each, ModeByLoad::rate, "queued saves more", "sync saves more", "both save as many"),
					answer.isEmpty() ? "" : "; " + answer);
		}).toList();
	}

	/** Names the loads of each verdict on a ratio. */
	private static String words(List<ModeByLoad> loads, Function<ModeByLoad, @Nullable Ratio> ratio, String queued,
			String sync, String same) {
		List<ModeByLoad> known = loads.stream().filter((load) -> ratio.apply(load) != null).toList();
		return Stream.of(Choice.values()).flatMap((choice) -> {
			List<ModeByLoad> chosen = known.stream()
				.filter((load) -> Objects.requireNonNull(ratio.apply(load)).choice() == choice)
				.toList();
			if (chosen.isEmpty()) {
				return Stream.of();
			}
			String at = (chosen.size() == known.size()) ? "at every load"
					: "at " + chosen.getFirst().load().kind().text(sizes(chosen));
			List<Ratio> ratios = chosen.stream().map(ratio).filter(Objects::nonNull).toList();
			return Stream.of(switch (choice) {
				case QUEUED -> "%s %s".formatted(queued, at);
				case QUEUED_SHOWN -> "%s %s (few pairs)".formatted(queued, at);
				case SYNC -> "%s %s".formatted(sync, at);
				case SYNC_SHOWN -> "%s %s (few pairs)".formatted(sync, at);
				case SAME -> "%s %s, within %s".formatted(same, at, Figures.percent(PairedComparison.MARGIN));
				case INCONCLUSIVE -> "inconclusive %s (a difference of up to %s may hide)".formatted(at, Figures
					.percent(ratios.stream().mapToDouble((each) -> each.comparison().mayHide()).max().orElseThrow()));
				case TOO_FEW_PAIRS -> "inconclusive %s (× %s)".formatted(at,
						range(ratios.stream().mapToDouble(Ratio::least).min().orElseThrow(),
								ratios.stream().mapToDouble(Ratio::greatest).max().orElseThrow()));
			});
		}).collect(Collectors.joining(", "));
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
		List<ModeByLoad> greatest = ModeByLoad.byCapacity(loads).values().stream().map(List::getLast).toList();
		Stream
			.concat(greatest.stream().map((load) -> new Figure(load, load.rate(), "saved per second, queued to sync")),
					greatest.stream()
						.filter((load) -> load.answer() != null)
						.map((load) -> new Figure(load, Objects.requireNonNull(load.answer()),
								"wait for an answer, queued to sync")))
			.limit(MAX_FIGURES)
			.forEach((figure) -> figure.write(html));
		html.close().chart(chart(loads)).close();
		html.details("Data as a table", table(loads));
	}

	/** The rule behind the sentences. */
	static String rule() {
		return "A pair is a variant in a repetition, once in each mode, in an order that was drawn for each pair. A mode “saves more” or “answers sooner” if the exact signed-rank test of at least %s pairs finds a difference at 1 %%; “as many” or “as soon” is reported if a difference of %s is excluded, otherwise the difference that may hide. Of few pairs there is no test: it is said of them if each of at least two differs by more than %s, which, at the noise that pairs have on shared machines, chance does in fewer than one of a hundred cases. “Answers”: median time from an order's first try until it is accepted, failures and retries included. Doubt is the 99 %% interval or, of few pairs, their range."
			.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(PairedComparison.MARGIN),
					Figures.percent(ModeByLoad.SHOWN_BY));
	}

	private record Figure(ModeByLoad load, Ratio ratio, String what) {

		void write(Html html) {
			html.open("div");
			html.element("strong", Reliability.sign("× " + Figures.measured(this.ratio.median()), this.load.marked()));
			html.element("span", this.what);
			html.element("small", "%s, %s".formatted(Coordinates.backend(this.load.capacity()), this.load.load()));
			html.element("small", "%s to %s, %s".formatted(Figures.measured(this.ratio.low()),
					Figures.measured(this.ratio.high()), Figures.counted(this.ratio.pairs(), "pair")));
			bottlenecks().forEach((bottleneck) -> html.element("small", bottleneck));
			html.close();
		}

		/** The bottlenecks of both modes, in a few words each. */
		private List<String> bottlenecks() {
			String sync = this.load.sync().bottleneck();
			String queued = this.load.queued().bottleneck();
			List<String> words = sync.equals(queued) ? List.of("both limited by " + sync)
					: List.of("sync limited by " + sync, "queued limited by " + queued);
			return words.stream().filter((each) -> !each.endsWith("limited by ")).toList();
		}

	}

	private static Chart chart(List<ModeByLoad> loads) {
		List<Chart.Line> lines = new ArrayList<>();
		// The label is the backend's name without its details.
		ModeByLoad.byCapacity(loads)
			.forEach((capacity, each) -> lines.add(new Chart.Line(
					Coordinates.backend(capacity).replaceFirst(" \\(.*", "").toLowerCase(Locale.ROOT), lines.size(),
					each.stream()
						.map((load) -> new Chart.Point(load.load().size(), load.rate().median(), load.rate().low(),
								load.rate().high(), load.marked(), load.sync().failedShare()))
						.toList())));
		List<Integer> sizes = loads.stream().map((load) -> load.load().size()).distinct().sorted().toList();
		lines.add(new Chart.Line("as many as sync", -1,
				sizes.stream().map((size) -> Chart.Point.at(size, 1, false)).toList()));
		double top = loads.stream().mapToDouble((load) -> load.rate().high()).max().orElse(1);
		return new Chart.Lines("Orders saved per second, queued as a multiple of sync",
				"The median ratio against the load, a line for each backend; above 1 the queued mode saves more. Whiskers show the interval, crosses the share of sync calls that failed.",
				330, 460, loads.getFirst().load().kind().words(), "queued to sync", "interval", top, true, sizes,
				lines);
	}

	private static Table table(List<ModeByLoad> loads) {
		return Table.of("Queued to sync, and what clients of each mode see", loads,
				List.of(Column.words("Backend", ModeByLoad::capacity),
						Column.words("mode", (load) -> verdict(load.rate().choice())),
						Column.words("load", (ModeByLoad load) -> load.load().toString()).marked(ModeByLoad::marked),
						Column.measured("saved per second, ratio", (load) -> load.rate().median()),
						Column.measured("from", (load) -> load.rate().low()),
						Column.measured("to", (load) -> load.rate().high()),
						Column.count("pairs", (load) -> load.rate().pairs()),
						Column.count("pairs for 10 %", (load) -> load.rate().comparison().pairsNeeded()),
						Column.measured("sync saved/s", (load) -> load.sync().savedPerSecond()),
						Column.measured("queued saved/s", (load) -> load.queued().savedPerSecond()),
						Column.percent("sync calls failed", (load) -> load.sync().failedShare()),
						Column.percent("queued calls failed", (load) -> load.queued().failedShare()),
						Column.measured("sync p99 to accepted, ms", (load) -> load.sync().acceptedP99()),
						Column.measured("queued p99 to accepted, ms", (load) -> load.queued().acceptedP99()),
						Column.measured("sync p99 to saved, ms", (load) -> load.sync().savedP99()),
						Column.measured("queued p99 to saved, ms", (load) -> load.queued().savedP99())));
	}

	private static String verdict(Choice choice) {
		return switch (choice) {
			case QUEUED -> "queued";
			case QUEUED_SHOWN -> "queued, few pairs";
			case SYNC -> "sync";
			case SYNC_SHOWN -> "sync, few pairs";
			case SAME -> "the same";
			case INCONCLUSIVE -> "inconclusive";
			case TOO_FEW_PAIRS -> "too few pairs";
		};
	}

}
