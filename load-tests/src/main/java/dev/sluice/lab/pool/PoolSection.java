package dev.sluice.lab.pool;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToDoubleFunction;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.LimitsSection;
import dev.sluice.lab.kit.page.ReferenceTable;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** The results of messages over new connections and over kept ones. */
public final class PoolSection extends Section {

	/** A limit of these results. */
	private static final String ONCE = "Each way to connect was run once, one after the other.";

	private static final String REFERENCE = "reference-connection-pool.csv";

	private final PoolResult result;

	public PoolSection(PoolResult result) {
		super("pool", switch (result.sink()) {
			case HTTP -> "Do kept connections save a client that may open few?";
			case POSTGRES -> "What do kept connections save a client of PostgreSQL?";
		});
		this.result = result;
	}

	/** The limits of the section's results. */
	public static LimitsSection limits(PoolResult result) {
		return new LimitsSection(switch (result.sink()) {
			case HTTP -> List.of(ONCE,
					"The limit on new connections closes what is too much at once, where an exhausted address translation lets it hang: here a client notices sooner, and its latencies are shorter.",
					"Connections are the lab's own, of HTTP/1.1 without TLS: a handshake would make new ones dearer.");
			case POSTGRES -> List.of(ONCE,
					"PostgreSQL is on the same machine: a way over a network would make new connections dearer.");
		});
	}

	@Override
	public List<String> answers(RunResult run) {
		List<Case> cases = cases();
		return cases.isEmpty() ? List.of("Nothing was sent.") : cases.stream().map(PoolSection::sentence).toList();
	}

	private List<Case> cases() {
		return this.result.cases().stream().filter((each) -> !each.statuses().isEmpty()).toList();
	}

	@Override
	public void write(RunResult run, Html html) {
		html.list(answers(run), "class", "answer");
		List<Case> cases = cases();
		if (cases.isEmpty()) {
			return;
		}
		html.element("p", "%s messages every %s ms, %s".formatted(Figures.count(this.result.messages()),
				Figures.count(this.result.intervalMillis()), switch (this.result.sink()) {
					case HTTP -> "to a backend that takes %s ms for each and accepts %s"
						.formatted(Figures.count(this.result.backendMillis()), newConnections());
					case POSTGRES ->
						"each a row in PostgreSQL. The reference has this option and gives no figures for it.";
				}));
		shares(cases, this.result.sink()).write(html);
		List<Chart> charts = new ArrayList<>();
		charts.add(chart("Queued and in flight", "messages", (status) -> (double) status.queued() + status.inFlight(),
				cases));
		charts.add(chart("Errors", "messages given up", Status::errors, cases));
		html.charts(charts, statuses(cases));
		html.element("p",
				"The reference calls “95 %” the mean of the fastest 95 % of the written messages, which leaves out the slow ones; the true percentile stands beside it. Latency counts from when a message was produced, queueing and further attempts included; of messages that are written at all.",
				"class", "note");
	}

	private String newConnections() {
		return (this.result.newConnectionsPerSecond() == 0) ? "any number of new connections."
				: "%s new connections per second; further ones are closed at once, while the reference's address translation let them hang."
					.formatted(Figures.count(this.result.newConnectionsPerSecond()));
	}

	private static String sentence(Case each) {
		Status end = each.statuses().getLast();
		return "%s: %s of %s messages written, %s given up, %s refused by the full queue, %s still queued or in flight; %s connections opened."
			.formatted(each.name().equals("kept") ? "Kept connections" : "New connections",
					Figures.count(end.written()), Figures.count(end.produced()), Figures.count(end.errors()),
					Figures.count(end.refused()), Figures.count((long) end.queued() + end.inFlight()),
					Figures.count(end.openedConnections()));
	}

	private static Table shares(List<Case> cases, PoolResult.Sink sink) {
		Table table = new Table("The fastest part of the messages, in milliseconds", 2, List.of("Connections", "whose",
				"percent", "written", "mean of these", "min", "max of these", "true percentile", "errors"));
		for (Case each : cases) {
			Status end = each.statuses().getLast();
			for (Share share : end.shares()) {
				table.row(each.name(), "ours", percent(share.percent()), Figures.count(share.written()),
						Figures.measured(share.meanMillis()), Figures.measured(share.minMillis()),
						Figures.measured(share.maxMillis()), Figures.measured(share.percentileMillis()),
						Figures.count(end.errors()));
			}
			for (String[] row : (sink == PoolResult.Sink.HTTP) ? ReferenceTable.rows(PoolSection.class, REFERENCE)
					: List.<String[]>of()) {
				if (row[0].equals(each.name().equals("kept") ? "on" : "off")) {
					table.row(each.name(), "the reference's", percent(Double.parseDouble(row[1])), number(row[2]),
							number(row[3]), number(row[4]), number(row[5]), Figures.NONE, number(row[6]));
				}
			}
		}
		return table;
	}

	private static String percent(double percent) {
		return "%s %%".formatted((percent == Math.rint(percent)) ? "" + Math.round(percent) : "" + percent);
	}

	private static String number(String text) {
		return Figures.count(Long.parseLong(text));
	}

	private static Chart chart(String title, String unit, ToDoubleFunction<Status> figure, List<Case> cases) {
		double last = cases.stream().mapToDouble((each) -> each.statuses().getLast().second()).max().orElse(10);
		List<Chart.Panel> panels = new ArrayList<>();
		double top = cases.stream().flatMap((each) -> each.statuses().stream()).mapToDouble(figure).max().orElse(1);
		int seconds = (int) Math.ceil(last) + 1;
		for (Case each : cases) {
			@Nullable Double[] values = new Double[seconds];
			each.statuses().forEach((status) -> {
				// Each reading holds until the next, ten seconds later.
				int from = (int) status.second();
				Arrays.fill(values, Math.max(0, from - 9), Math.min(seconds, from + 1), figure.applyAsDouble(status));
			});
			panels.add(new Chart.Panel("%s connections, %s".formatted(each.name(), unit), panels.size(), "area", false,
					Math.max(top, 1), Arrays.asList(values)));
		}
		return new Chart.Seconds(title, "Every ten seconds, a panel for each way to connect.", 300, 440, seconds,
				panels, List.of());
	}

	private static Table statuses(List<Case> cases) {
		Table table = new Table("Status every ten seconds", 1, List.of("Connections", "second", "produced", "refused",
				"written", "queued", "in flight", "errors", "failed attempts", "open connections", "opened"));
		for (Case each : cases) {
			each.statuses()
				.forEach((status) -> table.row(each.name(), Figures.measured(status.second()),
						Figures.count(status.produced()), Figures.count(status.refused()),
						Figures.count(status.written()), Figures.count(status.queued()),
						Figures.count(status.inFlight()), Figures.count(status.errors()),
						Figures.count(status.failedAttempts()), Figures.count(status.openConnections()),
						Figures.count(status.openedConnections())));
		}
		return table;
	}

}
