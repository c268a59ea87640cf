package dev.sluice.lab.pool;

import java.util.ArrayList;
import java.util.List;
import java.util.function.ToLongFunction;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Status;

/** What {@code lab pool} shows: messages over new connections and over kept ones. */
public final class PoolPage {

	private final PoolResult result;

	/** Those that were run. */
	private final List<Case> cases;

	private PoolPage(PoolResult result) {
		this.result = result;
		this.cases = result.cases().stream().filter((each) -> !each.statuses().isEmpty()).toList();
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(PoolResult result) {
		PoolPage page = new PoolPage(result);
		return List.of(new Section("pool", "Do kept connections save a client that may open few?", page.answers(),
				page.cases.isEmpty() ? List.of() : List.of(page.shares()), page::write));
	}

	private List<String> answers() {
		return this.cases.isEmpty() ? List.of("Nothing was sent.") : this.cases.stream().map(PoolPage::answer).toList();
	}

	private static String answer(Case each) {
		Status end = each.statuses().getLast();
		return "%s: %s of %s messages written, %s given up, %s still in flight; %s connections opened.".formatted(
				each.name().equals("kept") ? "Kept connections" : "New connections", Figures.count(end.written()),
				Figures.count(end.produced()), Figures.count(end.errors()), Figures.count(end.inFlight()),
				Figures.count(end.openedConnections()));
	}

	private void write(Html html) {
		if (this.cases.isEmpty()) {
			return;
		}
		html.paragraph(
				"%s messages every second, to a backend that takes %s ms for each and accepts %s new connections per second; further ones are closed at once, while the reference's address translation let them hang."
					.formatted(Figures.count(this.result.messages()), Figures.count(this.result.backendMillis()),
							Figures.count(this.result.newConnectionsPerSecond())));
		html.seconds(chart("In flight", "messages", Status::inFlight));
		html.seconds(chart("Errors", "messages given up", Status::errors));
		html.note(
				"The reference calls “95 %” the mean of the fastest 95 % of the written messages, which leaves out the slow ones; the true percentile stands beside it. Latency counts from when a message was due, further attempts included; of messages that are written at all.");
	}

	/** A share of the messages of a case. */
	private record Fastest(Case of, Share share) {
	}

	private Table shares() {
		List<Fastest> rows = this.cases.stream()
			.flatMap((each) -> each.shares().stream().map((share) -> new Fastest(each, share)))
			.toList();
		return Table.of("The fastest part of the messages, in milliseconds", rows,
				List.of(Column.words("Connections", (row) -> row.of().name()),
						Column.figure("percent", (row) -> percent(row.share().percent())),
						Column.count("written", (row) -> row.share().written()),
						Column.count("mean of these", (row) -> row.share().meanMillis()),
						Column.count("min", (row) -> row.share().minMillis()),
						Column.count("max of these", (row) -> row.share().maxMillis()),
						Column.count("true percentile", (row) -> row.share().percentileMillis()),
						Column.count("errors", (row) -> row.of().statuses().getLast().errors())));
	}

	/** All digits: 99.99 % is not 100 %. */
	private static String percent(double percent) {
		return "%s %%".formatted((percent == Math.rint(percent)) ? "" + Math.round(percent) : "" + percent);
	}

	private Chart.Seconds chart(String title, String unit, ToLongFunction<Status> figure) {
		double top = Chart.top(this.cases.stream()
			.flatMap((each) -> each.statuses().stream())
			.map((status) -> (double) figure.applyAsLong(status)));
		List<Chart.Panel> panels = new ArrayList<>();
		for (Case each : this.cases) {
			panels.add(
					Chart.Panel
						.of("%s connections, %s".formatted(each.name(), unit), panels.size(), "area", each.statuses(),
								figure::applyAsLong)
						.upTo(top));
		}
		int seconds = this.cases.stream().mapToInt((each) -> each.statuses().size()).max().orElse(1);
		return Chart.Seconds.of(title, "A panel for each way to connect.", seconds, panels, List.of());
	}

}
