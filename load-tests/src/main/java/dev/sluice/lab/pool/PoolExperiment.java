package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Part;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * {@code lab pool}: sends the same messages over new connections and then over kept ones,
 * to a backend that accepts few new connections per second, like the address translation
 * that limited the reference.
 */
@Command(name = "pool",
		description = "Sends messages to a backend that accepts a few new connections a second, first over new"
				+ " connections, then over kept ones.")
public final class PoolExperiment extends Experiment {

	private static final Duration WHOLE = Duration.ofMinutes(5);

	private static final Duration QUICK = Duration.ofSeconds(50);

	private static final int STATUS_SECONDS = 10;

	/** Messages produced each second, as at most in the reference. */
	private static final int MESSAGES = 8;

	/** Many more than a case has in flight: each message is sent. */
	private static final int IN_FLIGHT = 10_000;

	private static final double[] SHARES = { 100, 99.99, 99.9, 99, 95, 90 };

	/** New connections that the backend accepts per second. */
	private static final int NEW_CONNECTIONS = 5;

	/** Time that the backend takes for a message. */
	private static final long BACKEND_MILLIS = 100;

	/** The settings of the HTTP agent that repaired the reference's client. */
	static final Limits KEPT = new Limits(40, 10, Duration.ofSeconds(60), Duration.ofSeconds(300));

	/** A new connection for each message, without a maximum. */
	static final Limits NEW = new Limits(Integer.MAX_VALUE, 0, KEPT.answer(), Duration.ZERO);

	@Option(names = "--quick", description = "Each case takes 50 s instead of five minutes.")
	private boolean quick;

	private final List<Case> cases = new ArrayList<>();

	@Override
	protected void measure() throws IOException, InterruptedException {
		try (Stack stack = stack()) {
			URI target = backend(stack);
			run("new", "a new connection for each message", target, NEW);
			run("kept", words(KEPT), target, KEPT);
		}
	}

	@Override
	protected Finding finding() {
		return new PoolResult(MESSAGES, BACKEND_MILLIS, NEW_CONNECTIONS, this.cases);
	}

	private URI backend(Stack stack) throws InterruptedException {
		progress().step("Starting the backend");
		URI backend = stack.startBackend(ServiceOptions.NONE).uri();
		// Sent before the limit applies, so this connection does not count.
		new BackendControl(backend).behave(capped());
		return backend.resolve("/" + BACKEND_MILLIS);
	}

	private BackendBehaviour capped() {
		BackendBehaviour usual = BackendBehaviour.DEFAULT;
		return new BackendBehaviour(usual.delay(), 0, usual.errorStatus(), 0, 0, NEW_CONNECTIONS, usual.capacity());
	}

	private static String words(Limits limits) {
		return "at most %s connections, %s kept unused for %s s, answers within %s s".formatted(limits.most(),
				limits.mostFree(), limits.free().toSeconds(), limits.answer().toSeconds());
	}

	private void run(String name, String words, URI target, Limits limits) throws InterruptedException {
		progress().step("%s: %s messages every second".formatted(words, MESSAGES));
		List<Status> statuses = new ArrayList<>();
		List<Share> shares = List.of();
		try (Messages messages = new Messages(target, limits, Messages.FIRST_PAUSE_MILLIS)) {
			// What is on its way at the end of the load stays unfinished.
			OpenLoad load = new OpenLoad(MESSAGES, this.quick ? QUICK : WHOLE, Duration.ZERO, IN_FLIGHT);
			shares = shares(OpenClient.run(load, messages, (second) -> {
				// What is neither on its way nor answered was given up.
				long errors = Math.max(0, second.sent() - second.answered() - second.outstanding());
				statuses.add(new Status(second.second(), second.sent(), second.answered(), second.outstanding(), errors,
						messages.connections().opened()));
				if (second.second() % STATUS_SECONDS == 0) {
					progress().step("%s of %s messages written, %s given up".formatted(second.answered(), second.sent(),
							errors));
				}
			}).requests());
		}
		finally {
			this.cases.add(new Case(name, words, statuses, shares));
		}
	}

	/** Figures of the fastest of the written messages, by share. */
	static List<Share> shares(Requests requests) {
		double[] sorted = Arrays.stream(requests.latencies(0, requests.status().length, (status) -> status > 0))
			.mapToDouble((micros) -> micros / 1_000.0)
			.sorted()
			.toArray();
		if (sorted.length == 0) {
			return List.of();
		}
		return Arrays.stream(SHARES).mapToObj((percent) -> {
			int fastest = (int) Math.max(1, Math.floor(sorted.length * percent / 100));
			return new Share(percent, fastest, Arrays.stream(sorted, 0, fastest).average().orElseThrow(), sorted[0],
					sorted[fastest - 1], Timing.percentile(sorted, sorted.length, percent));
		}).toList();
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(PoolResult pool) {
		List<Case> sent = pool.cases().stream().filter((each) -> !each.statuses().isEmpty()).toList();
		Section section = new Section("pool", "Do kept connections save a client that may open few?");
		if (sent.isEmpty()) {
			return List.of(section.answers(List.of("Nothing was sent.")));
		}
		section.answers(sent.stream().map(PoolExperiment::answer).toList()).shown(shares(sent));
		section.paragraph(
				"%s messages every second, to a backend that takes %s ms for each and accepts %s new connections per second; further ones are closed at once, while the reference's address translation let them hang."
					.formatted(Figures.count(pool.messages()), Figures.count(pool.backendMillis()),
							Figures.count(pool.newConnectionsPerSecond())));
		section.seconds(chart(sent, "In flight", "messages", Status::inFlight));
		section.seconds(chart(sent, "Errors", "messages given up", Status::errors));
		section.note(
				"The reference calls “95 %” the mean of the fastest 95 % of the written messages, which leaves out the slow ones; the true percentile stands beside it. Latency counts from when a message was due, further attempts included; of messages that are written at all.");
		return List.of(section);
	}

	private static String answer(Case each) {
		Status end = each.statuses().getLast();
		return "%s: %s of %s messages written, %s given up, %s still in flight; %s connections opened.".formatted(
				each.name().equals("kept") ? "Kept connections" : "New connections", Figures.count(end.written()),
				Figures.count(end.produced()), Figures.count(end.errors()), Figures.count(end.inFlight()),
				Figures.count(end.openedConnections()));
	}

	private static Table shares(List<Case> sent) {
		return Table.of("The fastest part of the messages, in milliseconds", Part.of(sent, Case::shares),
				List.of(Column.words("Connections", (row) -> row.whole().name()),
						Column.figure("percent", (row) -> percent(row.part().percent())),
						Column.count("written", (row) -> row.part().written()),
						Column.count("mean of these", (row) -> row.part().meanMillis()),
						Column.count("min", (row) -> row.part().minMillis()),
						Column.count("max of these", (row) -> row.part().maxMillis()),
						Column.count("true percentile", (row) -> row.part().percentileMillis()),
						Column.count("errors", (row) -> row.whole().statuses().getLast().errors())));
	}

	/** All digits: 99.99 % is not 100 %. */
	private static String percent(double percent) {
		return "%s %%".formatted((percent == Math.rint(percent)) ? "" + Math.round(percent) : "" + percent);
	}

	private static Chart.Seconds chart(List<Case> sent, String title, String unit, ToLongFunction<Status> figure) {
		List<Chart.Panel> panels = new ArrayList<>();
		for (Case each : sent) {
			panels.add(
					Chart.Panel
						.of("%s connections, %s".formatted(each.name(), unit), panels.size(), "area", each.statuses(),
								figure::applyAsLong)
						.onAxis(title));
		}
		int seconds = sent.stream().mapToInt((each) -> each.statuses().size()).max().orElse(1);
		return new Chart.Seconds(title, seconds, panels, List.of());
	}

}
