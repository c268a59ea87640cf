package dev.sluice.lab.knee;

import java.util.Arrays;
import java.util.List;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.ClientReliability;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.LimitsSection;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.KneeResult.Knee;
import dev.sluice.lab.kit.result.KneeResult.Step;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The highest rate that met the goal, and each rate that was tried. */
public final class KneeSection extends Section {

	/** The limits of these results. */
	public static final LimitsSection LIMITS = new LimitsSection(List.of(
			"A step is measured for a few seconds: a stall that comes once a minute is seen by few steps or by none.",
			"Where the machine changes during a search, the rate that held and the one that did not belong to different times; the range of the searches says how much that is.",
			"Load generator, services, Kafka, PostgreSQL and backend share this machine: a rate is that of all of them together.",
			"Orders wait in Kafka before they are delivered: accepting may go on above the rate of saving only while the backlog may grow."));

	private static final int ROW_HEIGHT = 34;

	private static final List<String> STYLES = List.of("servlet-platform", "servlet-virtual", "servlet-async",
			"reactive");

	private final KneeResult result;

	public KneeSection(KneeResult result) {
		super("knee", "What rate does a gateway sustain?");
		this.result = result;
	}

	@Override
	public List<String> answers(RunResult run) {
		return this.result.knees().isEmpty() ? List.of("None was searched.")
				: this.result.repeated().stream().map(KneeSection::sentence).toList();
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(answers(run), "class", "answer");
		if (this.result.knees().isEmpty()) {
			return;
		}
		html.element("p", "Goal: %s. Backend: %s.".formatted(this.result.goal(), this.result.backend()));
		double top = this.result.knees()
			.stream()
			.mapToDouble((knee) -> (knee.sustainedPerSecond() != null) ? knee.sustainedPerSecond() : 0)
			.max()
			.orElse(0);
		List<Chart.StackRow> rows = this.result.repeated()
			.stream()
			.map((searches) -> new Chart.StackRow(searches.getFirst().name(),
					STYLES.indexOf(searches.getFirst().variant()), searches.stream().anyMatch(KneeSection::marked),
					Arrays.asList(median(searches))))
			.toList();
		html.chart(new Chart.Stack("Greatest rate that met the goal",
				"A bar for each variant and mode, accepting and saving of queued orders apart: the median of the searches.",
				rows.size() * ROW_HEIGHT + 80, 560, "orders per second", Math.max(top, 1), List.of("orders per second"),
				rows), knees());
		html.details("Each rate that was tried", steps());
		html.element("p",
				"An open model: orders are due by the clock and sent whatever is outstanding; latency counts from when an order was due. The true knee lies between the rate that held and the next that did not, 5 %% apart unless the sentence says otherwise. p99 from accepted to saved is the upper bound of a histogram's bucket: the true one is at least three quarters of it, and a goal between two bounds counts as the lower. The load generator shares the machine's cores; its CPU for a request stands in the table, and a rate it could not send in time (lag of 99 %% of the requests, at most, above %s ms) or that others disturbed (more than %s of the CPU, or an unknown share) is marked %s."
					.formatted(Figures.measured(ClientReliability.LAG_LIMIT_MILLIS),
							Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN)
					.replace("%%", "%"),
				"class", "note");
	}

	/**
	 * The median and the range of several searches; a search without a rate counts as 0.
	 */
	private static String sentence(List<Knee> searches) {
		if (searches.size() == 1) {
			return sentence(searches.getFirst());
		}
		double[] rates = rates(searches);
		return "%s: %s orders per second (%s to %s in %d searches).".formatted(
				Reliability.sign(searches.getFirst().name(), searches.stream().anyMatch(KneeSection::marked)),
				Figures.measured(median(searches)), Figures.measured(rates[0]),
				Figures.measured(rates[rates.length - 1]), rates.length);
	}

	private static double[] rates(List<Knee> searches) {
		return searches.stream()
			.map(Knee::sustainedPerSecond)
			.mapToDouble((rate) -> (rate != null) ? rate : 0)
			.sorted()
			.toArray();
	}

	private static @Nullable Double median(List<Knee> searches) {
		return Figures.median(Arrays.stream(rates(searches)));
	}

	private static String sentence(Knee knee) {
		Step failed = knee.failed();
		String missed = (failed != null && failed.missed() != null)
				? "; at %s/s %s".formatted(Figures.measured(failed.requestsPerSecond()), failed.missed()) : "";
		return (knee.sustainedPerSecond() != null)
				? "%s: %s%s.".formatted(Reliability.sign(knee.name(), marked(knee)), rate(knee), missed)
				: "%s: met the goal at no rate%s.".formatted(knee.name(), missed);
	}

	/** Rounded, as the search is not more exact. */
	private static String rate(Knee knee) {
		String sustained = Figures.measured(knee.sustainedPerSecond());
		if (knee.failedPerSecond() == null) {
			return "at least %s orders per second (no greater rate was missed twice)".formatted(sustained);
		}
		return knee.cutShort() ? "%s to %s orders per second (the time was up)".formatted(sustained,
				Figures.measured(knee.failedPerSecond())) : sustained + " orders per second";
	}

	private Table knees() {
		Table table = new Table("Orders per second", 2, List.of("Variant and mode", "missed above it", "held",
				"did not hold", "p99 at held, ms", "saved-p99 at held, ms", "rates tried", "seconds"));
		for (Knee knee : this.result.knees()) {
			Step held = knee.sustained();
			Step failed = knee.failed();
			table.row(Reliability.sign(knee.name(), marked(knee)),
					(failed != null && failed.missed() != null) ? failed.missed() : Figures.NONE,
					Figures.measured(knee.sustainedPerSecond()), Figures.measured(knee.failedPerSecond()),
					Figures.measured((held != null && held.latency() != null) ? held.latency().p99() : null),
					Figures.measured((held != null) ? held.savedP99Millis() : null), Figures.count(knee.steps().size()),
					Figures.measured(knee.millis() / 1_000.0));
		}
		return table;
	}

	private Table steps() {
		Table table = new Table("In the order they were tried", 2,
				List.of("Variant and mode", "verdict", "orders per second", "p50, ms", "p99, ms", "saved-p99, ms",
						"failed", "not sent", "lag, ms", "generator CPU ms", "foreign CPU"));
		for (Knee knee : this.result.knees()) {
			for (Step step : knee.steps()) {
				table.row(Reliability.sign(knee.name(), marked(step)), (step.missed() != null) ? step.missed() : "held",
						Figures.measured(step.requestsPerSecond()),
						Figures.measured((step.latency() != null) ? step.latency().p50() : null),
						Figures.measured((step.latency() != null) ? step.latency().p99() : null),
						Figures.measured(step.savedP99Millis()), Figures.count(step.tally().failed()),
						Figures.count(step.tally().notSent()), Figures.measured(step.lagP99Millis()),
						Figures.measured(step.generatorCpuMillis()),
						(step.foreignCpuShare() != null) ? Figures.percent(step.foreignCpuShare()) : Figures.NONE);
			}
		}
		return table;
	}

	/** Whether one of the two rates that give the result was disturbed. */
	static boolean marked(Knee knee) {
		Step held = knee.sustained();
		Step failed = knee.failed();
		return (held != null && marked(held)) || (failed != null && marked(failed));
	}

	private static boolean marked(Step step) {
		return ClientReliability.marked(step.lagP99Millis(), step.foreignCpuShare());
	}

}
