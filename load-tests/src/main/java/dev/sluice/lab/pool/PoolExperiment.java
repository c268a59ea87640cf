package dev.sluice.lab.pool;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.client.Connections.Limits;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient.Requests;
import dev.sluice.lab.kit.result.Finding;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;
import dev.sluice.lab.kit.run.BackendControl;
import dev.sluice.lab.kit.run.Experiment;
import dev.sluice.lab.kit.stack.Http;
import dev.sluice.lab.kit.stack.ServiceOptions;
import dev.sluice.lab.kit.stack.Stack;
import dev.sluice.lab.kit.statistics.Percentile;
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
		try (Stack stack = stack(); HttpClient http = Http.client(Duration.ofSeconds(5))) {
			URI target = backend(stack, http);
			run("new", "a new connection for each message", target, NEW);
			run("kept", words(KEPT), target, KEPT);
		}
	}

	@Override
	protected Finding finding() {
		return new PoolResult(MESSAGES, BACKEND_MILLIS, NEW_CONNECTIONS, this.cases);
	}

	private URI backend(Stack stack, HttpClient http) throws InterruptedException {
		progress().step("Starting the backend");
		URI backend = stack.startBackend(ServiceOptions.NONE).uri();
		// Sent before the limit applies, so this connection does not count.
		new BackendControl(http, backend).behave(capped());
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
		double[] sorted = IntStream.range(0, requests.status().length)
			.filter((number) -> requests.status()[number] > 0)
			.mapToDouble((number) -> requests.latencyMicros()[number] / 1_000.0)
			.sorted()
			.toArray();
		if (sorted.length == 0) {
			return List.of();
		}
		return Arrays.stream(SHARES).mapToObj((percent) -> {
			int fastest = (int) Math.max(1, Math.floor(sorted.length * percent / 100));
			return new Share(percent, fastest, Arrays.stream(sorted, 0, fastest).average().orElseThrow(), sorted[0],
					sorted[fastest - 1], Percentile.of(sorted, percent));
		}).toList();
	}

}
