package dev.sluice.lab.surge;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Chart.Panel;
import dev.sluice.lab.kit.page.Chart.Span;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.SurgeResult;
import dev.sluice.lab.kit.result.SurgeResult.Part;
import dev.sluice.lab.kit.result.SurgeResult.Run;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** What {@code lab surge} shows: a chart by second of each run. */
public final class SurgePage {

	private SurgePage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(SurgeResult surge) {
		List<Section> sections = new ArrayList<>();
		sections.add(new Section("surge", "What do clients see after a start and in a surge?",
				surge.runs().isEmpty() ? List.of("Nothing was sent.")
						: surge.runs().stream().map(SurgePage::answer).toList(),
				surge.runs().stream().map(SurgePage::parts).toList(), (_) -> {
				}));
		double accepted = top(surge, (second) -> second.outcomes().due());
		int number = 1;
		for (Run run : surge.runs()) {
			sections.add(new Section("run-" + number++, title(run), (html) -> chart(run, accepted, html)));
		}
		return sections;
	}

	private static double top(SurgeResult surge, ToDoubleFunction<Part> figure) {
		return surge.runs().stream().flatMap((run) -> run.seconds().stream()).mapToDouble(figure).reduce(1, Math::max);
	}

	private static String title(Run run) {
		return "%s, run %s".formatted(run.name(), run.repetition());
	}

	private static boolean marked(Run run) {
		Timing lag = run.lag();
		return Reliability.marked((lag != null) ? lag.p99AtMost() : 0, run.foreignCpuShare());
	}

	private static String answer(Run run) {
		String parts = run.parts().stream().map((part) -> words(run, part)).collect(Collectors.joining("; "));
		return Reliability.sign("%s: ready after %s s; %s%s".formatted(title(run),
				Figures.measured(run.readyMillis() / 1_000), parts, (run.ended() != null) ? "; " + run.ended() : ""),
				marked(run));
	}

	private static String words(Run run, Part part) {
		Integer normalAfter = run.normalAfter(part);
		String normal = (normalAfter == null) ? ", not normal at its end"
				: (normalAfter == 0) ? "" : ", normal after %s s".formatted(normalAfter);
		Timing latency = part.latency();
		return "%s: %s accepted%s%s".formatted(name(part), Figures.percent(part.outcomes().acceptedShare()),
				(latency != null) ? ", p99 %s ms".formatted(Figures.measured(latency.p99AtMost())) : "", normal);
	}

	/** Its rate and length. */
	private static String name(Part part) {
		return "%s/s for %s s".formatted(Figures.measured((double) part.outcomes().due() / part.seconds()),
				part.seconds());
	}

	private static @Nullable Double cpuMillisPerAccepted(Part part) {
		int accepted = part.outcomes().accepted();
		return (part.cores() != null && accepted > 0) ? part.cores() * part.seconds() * 1_000 / accepted : null;
	}

	private static Table parts(Run run) {
		return Table.of(
				"%s. Normal: from then on each second accepted 99 %% or more of the orders due".formatted(title(run)),
				run.parts(),
				List.of(Column.words("Load", SurgePage::name), Column.count("due", (part) -> part.outcomes().due()),
						Column.percent("accepted", (part) -> part.outcomes().acceptedShare()),
						Column.count("refused", (part) -> part.outcomes().refused()),
						Column.count("failed", (part) -> part.outcomes().failed()),
						Column.count("not sent", (part) -> part.outcomes().notSent()),
						Column.measured("p50, ms", Part::latency, Timing::p50),
						Column.measured("p99, ms", Part::latency, Timing::p99),
						Column.count("normal after, s", run::normalAfter),
						Column.measured("CPU ms per accepted", SurgePage::cpuMillisPerAccepted),
						Column.bytes("peak RSS", Part::peakRssBytes)));
	}

	private static void chart(Run run, double top, Html html) {
		List<Part> seconds = run.seconds();
		List<Panel> panels = List.of(
				Panel.of("Accepted per second", 0, "area", seconds, (second) -> second.outcomes().accepted()).upTo(top),
				Panel.of("Refused, failed or not sent", 1, "area", seconds, SurgePage::lost).upTo(top),
				Panel.of("p99 of the accepted, ms", 2, "line", seconds, SurgePage::p99).onLogarithmicAxis(),
				Panel.of("Cores used by the gateway", 3, "area", seconds, Part::cores));
		List<Span> spans = new ArrayList<>();
		for (Part part : run.parts()) {
			spans.add(new Span("load", name(part), spans.size() % 2, part.from() - 1, part.to()));
		}
		html.seconds(Chart.Seconds.of("Second by second",
				"Orders accepted and not accepted, latency and CPU, for the orders due in each second.", seconds.size(),
				panels, spans));
	}

	private static int lost(Part second) {
		return second.outcomes().due() - second.outcomes().accepted();
	}

	private static @Nullable Double p99(Part second) {
		Timing latency = second.latency();
		return (latency != null) ? Double.valueOf(latency.p99AtMost()) : null;
	}

}
