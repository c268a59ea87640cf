package dev.sluice.lab.kit.load;

import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.Supplier;

import dev.sluice.devservices.Patience;
import dev.sluice.lab.kit.client.OpenClient.OpenLoad;
import dev.sluice.lab.kit.client.OpenClient;
import dev.sluice.lab.kit.plan.Phase.Settling;
import dev.sluice.lab.kit.plan.WarmUpWindow;

/**
 * Warms up the services and this process's client before a search: keeps 200 requests
 * outstanding, of each kind in turn, with a rest after each window, until the last two
 * agree in rate and in CPU per order, and the compilers have little left to do.
 *
 * @param rule when the warm-up ends
 * @param saved orders saved until now
 */
public record Saturation(Settling rule, Count saved) {

	/**
	 * Maximum number of requests without an answer, as in the warm-up of a comparison.
	 */
	private static final int OUTSTANDING = 200;

	/** More than two cores can handle. A larger machine also gets warm at this rate. */
	private static final double PER_SECOND = 5_000;

	/** Longest rest between two windows: what the compilers have left to do. */
	private static final Duration MAX_REST = Duration.ofSeconds(15);

	private static final Duration PATIENCE = Duration.ofSeconds(2);

	/** Counts orders, which may take a request to a server. */
	@FunctionalInterface
	public interface Count {

		long get() throws InterruptedException;

	}

	/**
	 * Returns when the services are warm or the limit is reached.
	 * @param kinds of requests, obtained again in each window
	 * @return the windows; {@link WarmUpWindow#isWarm} says whether they have settled
	 */
	public List<WarmUpWindow> run(OpenClient client, List<Supplier<IntFunction<HttpRequest>>> kinds)
			throws InterruptedException {
		OpenLoad load = new OpenLoad(PER_SECOND, Duration.ofMillis(this.rule.windowMillis()).dividedBy(kinds.size()),
				PATIENCE, OUTSTANDING);
		// Includes its children, the services.
		ProcessTime time = new ProcessTime(List.of(ProcessHandle.current().pid()));
		WarmUpWatch watch = new WarmUpWatch(this.rule);
		while (!watch.isOver()) {
			time.awaitRest(Duration.ZERO, Patience.of(MAX_REST), Thread::sleep);
			long before = this.saved.get();
			watch.begin(System.nanoTime(), time.millis(), time.jitMillis());
			for (Supplier<IntFunction<HttpRequest>> kind : kinds) {
				client.run(load, kind.get(), (_) -> {
				});
			}
			watch.end(System.nanoTime(), this.saved.get() - before, time.millis(), time.jitMillis());
		}
		return watch.windows();
	}

}
