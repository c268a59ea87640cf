package dev.sluice.lab.knee;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Part;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.KneeResult.Step;
import org.jspecify.annotations.Nullable;

/**
 * What {@code lab knee} shows: the highest rate that met the goal, and each rate that was
 * tried.
 */
public final class KneePage {

	private KneePage() {
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(KneeResult result) {
		Section section = new Section("knee", "What rate does a gateway sustain?");
		if (result.knees().isEmpty()) {
			return List.of(section.answers(List.of("None was searched.")));
		}
		section
			.answers(
					Stream
						.concat(result.repeated().stream().map(KneePage::answer),
								Stream.of("Goal: %s. Backend: %s.".formatted(result.goal(), result.backend())))
						.toList())
			.shown(knees(result));
		write(result, section);
		return List.of(section);
	}

	/** The median and the range of the searches; one without a rate counts as 0. */
	private static String answer(List<Knee> searches) {
		double[] rates = rates(searches);
		String name = Reliability.sign(searches.getFirst().name(), searches.stream().anyMatch(KneePage::marked));
		if (rates[rates.length - 1] == 0) {
			return "%s: never met the goal.".formatted(name);
		}
		return "%s: %s orders per second%s.".formatted(name, Figures.measured(median(searches)),
				(rates.length == 1) ? "" : " (%s to %s in %s searches)".formatted(Figures.measured(rates[0]),
						Figures.measured(rates[rates.length - 1]), rates.length));
	}

	private static double[] rates(List<Knee> searches) {
		return searches.stream()
			.mapToDouble((knee) -> Objects.requireNonNullElse(knee.sustainedPerSecond(), 0.0))
			.sorted()
			.toArray();
	}

	private static @Nullable Double median(List<Knee> searches) {
		return Figures.median(Arrays.stream(rates(searches)));
	}

	private static void write(KneeResult result, Html html) {
		html.chart(Chart.Stack.of("Greatest rate that met the goal", "orders per second", result.repeated(),
				(searches) -> searches.getFirst().name(), (searches) -> searches.stream().anyMatch(KneePage::marked),
				KneePage::median));
		html.details("Each rate that was tried", steps(result));
		html.note(
				"An open model: orders are due by the clock and sent whatever is outstanding; latency counts from when an order was due. The true knee lies between the rate that held and the next that did not, 5 %% apart unless the table says otherwise. p99 from accepted to saved is the upper bound of a histogram's bucket: the true one is at least three quarters of it, and a goal between two bounds counts as the lower. The load generator shares the machine's cores; its CPU for a request stands in the table, and a rate it could not send in time (lag of 99 %% of the requests, at most, above %s ms) or that others disturbed (more than %s of the CPU, or an unknown share) is marked %s."
					.formatted(Figures.measured(Reliability.LAG_LIMIT_MILLIS),
							Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN));
	}

	private static Table knees(KneeResult result) {
		return Table.of("Orders per second", result.knees(),
				List.of(Column.words("Variant and mode", Knee::name).marked(KneePage::marked),
						Column.measured("held", Knee::sustainedPerSecond),
						Column.measured("did not hold", Knee::failedPerSecond),
						Column.measured("p99 at held, ms", Knee::sustained,
								(step) -> (step.latency() != null) ? step.latency().p99() : null),
						Column.measured("saved-p99 at held, ms", Knee::sustained, Step::savedP99Millis),
						Column.count("rates tried", (knee) -> knee.steps().size()),
						Column.measured("seconds", (knee) -> knee.millis() / 1_000.0),
						Column.words("missed above it", KneePage::missed)));
	}

	private static String missed(Knee knee) {
		Step failed = knee.failed();
		if (failed == null || failed.missed() == null) {
			return (knee.sustainedPerSecond() != null) ? "no greater rate was missed twice" : Figures.NONE;
		}
		return failed.missed() + (knee.cutShort() ? "; the time was up" : "");
	}

	private static Table steps(KneeResult result) {
		return Table.of("In the order they were tried", Part.of(result.knees(), Knee::steps),
				List.of(Column.words("Variant and mode", (Part<Knee, Step> each) -> each.whole().name())
					.marked((each) -> marked(each.part())),
						Column.words("verdict", (each) -> Objects.requireNonNullElse(each.part().missed(), "held")),
						Column.measured("orders per second", (each) -> each.part().requestsPerSecond()),
						Column.measured("p50, ms", (each) -> each.part().latency(), Timing::p50),
						Column.measured("p99, ms", (each) -> each.part().latency(), Timing::p99),
						Column.measured("saved-p99, ms", (each) -> each.part().savedP99Millis()),
						Column.count("failed", (each) -> each.part().tally().failed()),
						Column.count("not sent", (each) -> each.part().tally().notSent()),
						Column.measured("lag, ms", (each) -> each.part().lagP99Millis()),
						Column.measured("generator CPU ms", (each) -> each.part().generatorCpuMillis()),
						Column.percent("foreign CPU", (each) -> each.part().foreignCpuShare())));
	}

	/** Whether one of the two rates that give the result was disturbed. */
	private static boolean marked(Knee knee) {
		Step held = knee.sustained();
		Step failed = knee.failed();
		return (held != null && marked(held)) || (failed != null && marked(failed));
	}

	private static boolean marked(Step step) {
		return Reliability.marked(step.lagP99Millis(), step.foreignCpuShare());
	}

}
