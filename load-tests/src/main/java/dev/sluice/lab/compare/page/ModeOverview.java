package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.lab.compare.figures.ModeByLoad.Ratio;
import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.statistics.PairedComparison;
import org.jspecify.annotations.Nullable;

/** Which mode for which load: sentences, figures, a picture. */
public final class ModeOverview {

	private static final int MAX_FIGURES = 3;

	private ModeOverview() {
	}

	/** The answer first, then the figures it rests on. */
	public static void write(List<ModeByLoad> loads, Html html) {
		html.list(ModeByLoad.sentences(loads), "class", "answer");
		html.open("div", "class", "verdict");
		figures(loads, html);
		html.chart(chart(loads));
		html.close();
		html.details("Data as a table", table(loads));
	}

	/** The rule behind the sentences. */
	public static String rule() {
		return "A pair is a variant in a repetition, once in each mode, in an order that was drawn for each pair. A mode “saves more” or “answers sooner” if the exact signed-rank test of at least %s pairs finds a difference at 1 %%; “as many” or “as soon” is reported if a difference of %s is excluded, otherwise the difference that may hide. Of fewer pairs, a mode “saved more” or “answered sooner” if each of at least two differs by more than %s: at the noise that pairs have on shared machines, chance does that in fewer than one of a hundred cases. “Answers”: median time from an order's first try until it is accepted, failures and retries included. Doubt is the 99 %% interval or, of fewer pairs, their range."
			.formatted(Figures.count(PairedComparison.MIN_PAIRS), Figures.percent(PairedComparison.MARGIN),
					Figures.percent(ModeByLoad.SHOWN_BY));
	}

	private static void figures(List<ModeByLoad> loads, Html html) {
		List<Figure> figures = new ArrayList<>();
		Map<String, List<ModeByLoad>> byCapacity = ModeByLoad.byCapacity(loads);
		byCapacity.forEach((_, each) -> figures
			.add(new Figure(each.getLast(), each.getLast().rate(), "saved per second, queued to sync")));
		byCapacity.values()
			.stream()
			.map(List::getLast)
			.filter((load) -> load.answer() != null)
			.map((load) -> new Figure(load, load.answer(), "wait for an answer, queued to sync"))
			.forEach(figures::add);
		html.open("div", "class", "figures");
		figures.stream().limit(MAX_FIGURES).forEach((figure) -> figure.write(html));
		html.close();
	}

	private record Figure(ModeByLoad load, @Nullable Ratio ratio, String what) {

		void write(Html html) {
			if (this.ratio == null) {
				return;
			}
			html.open("div");
			html.element("strong", Reliability.sign("× " + Figures.measured(this.ratio.median()), this.load.marked()));
			html.element("span", this.what);
			html.element("small", "%s, %s".formatted(ModeByLoad.name(this.load.capacity()), this.load.load()));
			html.element("small", this.ratio.interval());
			bottlenecks().forEach((bottleneck) -> html.element("small", bottleneck));
			html.close();
		}

		/** The bottlenecks of both modes, in a few words each. */
		private List<String> bottlenecks() {
			String sync = this.load.sync().bottleneck();
			String queued = this.load.queued().bottleneck();
			if (sync.equals(queued)) {
				return sync.isEmpty() ? List.of() : List.of("both limited by " + sync);
			}
			return Stream.of(Map.entry("sync", sync), Map.entry("queued", queued))
				.filter((bottleneck) -> !bottleneck.getValue().isEmpty())
				.map((bottleneck) -> "%s limited by %s".formatted(bottleneck.getKey(), bottleneck.getValue()))
				.toList();
		}

	}

	private static Chart chart(List<ModeByLoad> loads) {
		List<Chart.Line> lines = new ArrayList<>();
		ModeByLoad.byCapacity(loads)
			.forEach((capacity,
					each) -> lines.add(new Chart.Line(shortName(capacity), lines.size(), each.stream()
						.map((load) -> new Chart.Point(load.load().size(), load.rate().median(), load.rate().low(),
								load.rate().high(), load.marked(), load.sync().failedShare()))
						.toList())));
		List<Integer> sizes = loads.stream().map((load) -> load.load().size()).distinct().sorted().toList();
		lines.add(new Chart.Line("as many as sync", -1,
				sizes.stream().map((size) -> Chart.Point.at(size, 1, false)).toList()));
		double top = loads.stream().mapToDouble((load) -> load.rate().high()).max().orElse(1);
		return new Chart.Lines("Orders saved per second, queued as a multiple of sync",
				"The median ratio against the load, a line for each backend; above 1 the queued mode saves more. Whiskers show the interval, crosses the share of sync calls that failed.",
				330, 460, kind(loads).words(), "queued to sync", "interval", top, true, sizes, lines);
	}

	/** The backend's short name, for the chart's labels. */
	private static String shortName(String capacity) {
		return ModeByLoad.name(capacity).replaceFirst(" \\(.*", "").toLowerCase(Locale.ROOT);
	}

	private static Load.Kind kind(List<ModeByLoad> loads) {
		return loads.getFirst().load().kind();
	}

	private static Table table(List<ModeByLoad> loads) {
		Table table = new Table("Queued to sync, and what clients of each mode see", 3,
				List.of("Backend", "mode", "load", "saved per second, ratio", "from", "to", "pairs", "pairs for 10 %",
						"sync saved/s", "queued saved/s", "sync calls failed", "queued calls failed",
						"sync p99 to accepted, ms", "queued p99 to accepted, ms", "sync p99 to saved, ms",
						"queued p99 to saved, ms"));
		for (ModeByLoad load : loads) {
			table.row(Stream.of(load.capacity(), mode(load.rate()),
					Reliability.sign(load.load().toString(), load.marked()), Figures.measured(load.rate().median()),
					Figures.measured(load.rate().low()), Figures.measured(load.rate().high()),
					Figures.count(load.rate().pairs()), Figures.count(load.rate().comparison().pairsNeeded()),
					Figures.measured(load.sync().savedPerSecond()), Figures.measured(load.queued().savedPerSecond()),
					Figures.percent(load.sync().failedShare()), Figures.percent(load.queued().failedShare()),
					Figures.measured(load.sync().acceptedP99()), Figures.measured(load.queued().acceptedP99()),
					Figures.measured(load.sync().savedP99()), Figures.measured(load.queued().savedP99()))
				.toList());
		}
		return table;
	}

	private static String mode(Ratio rate) {
		return switch (rate.choice()) {
			case QUEUED -> "queued";
			case QUEUED_SHOWN -> "queued, not tested";
			case SYNC -> "sync";
			case SYNC_SHOWN -> "sync, not tested";
			case SAME -> "the same";
			case INCONCLUSIVE -> "inconclusive";
			case TOO_FEW_PAIRS -> "too few pairs";
		};
	}

}
