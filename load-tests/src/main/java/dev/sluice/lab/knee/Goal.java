package dev.sluice.lab.knee;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.plan.Mode;
import dev.sluice.lab.kit.result.ClientResult.Tally;
import org.jspecify.annotations.Nullable;

/**
 * The latency goal that a sustained rate must meet. In addition, all requests must be
 * sent and none may fail.
 *
 * @param p99 99th percentile of the time from when a request was due until its answer
 * @param savedP99 99th percentile of queued orders' time from accepted to saved
 */
record Goal(Duration p99, Duration savedP99) {

	static final Goal DEFAULT = new Goal(Duration.ofMillis(200), Duration.ofSeconds(1));

	/**
	 * Growth of the backlog that is tolerated, as a share of the accepted orders. The
	 * search is no more exact, and a pause of a quarter of a second in a step of five
	 * seconds leaves as much.
	 */
	private static final double GROWTH = 0.05;

	/** Growth of the backlog by fewer orders does not count. */
	private static final long FEW = 10;

	private static final Pattern PART = Pattern.compile("(p99|saved-p99)=(\\d+)(ms|s)");

	/**
	 * Reads parts such as {@code p99=200ms}. A part that is missing keeps its default.
	 * @throws IllegalArgumentException if a part does not have that form
	 */
	static Goal of(List<String> parts) {
		Goal goal = DEFAULT;
		for (String text : parts) {
			Matcher part = PART.matcher(text.strip().toLowerCase(Locale.ROOT));
			if (!part.matches() || Long.parseLong(part.group(2)) == 0) {
				throw new IllegalArgumentException("--goal '%s' is not like p99=200ms or saved-p99=1s".formatted(text));
			}
			long number = Long.parseLong(part.group(2));
			Duration duration = part.group(3).equals("s") ? Duration.ofSeconds(number) : Duration.ofMillis(number);
			goal = part.group(1).equals("p99") ? new Goal(duration, goal.savedP99) : new Goal(goal.p99, duration);
		}
		return goal;
	}

	/**
	 * Why the goal is not met; null if it is met.
	 * @param savedP99Millis upper bound of the 99th percentile from accepted to saved;
	 * null if not all accepted orders were saved; ignored for the sync mode, which
	 * answers when an order is saved
	 * @param leftBehind growth of the number of orders that wait to be saved, from before
	 * the first was due until the last was answered; ignored for the sync mode
	 */
	@Nullable String missed(Mode mode, Tally tally, @Nullable Timing latency, @Nullable Double savedP99Millis, long leftBehind) {
		if (tally.notSent() > 0) {
			return String.format(Locale.ROOT, "%,d requests not sent, as too many were outstanding", tally.notSent());
		}
		if (tally.failed() > 0) {
			return "%s requests failed: %s".formatted(tally.failed(), String.join(", ", tally.failures().keySet()));
		}
		if (tally.outstanding() > 0 || latency == null) {
			return String.format(Locale.ROOT, "%,d requests without an answer", tally.outstanding());
		}
		if (latency.p99AtMost() > this.p99.toMillis()) {
			return String.format(Locale.ROOT, "%s %,.0f ms",
					(latency.p99() != null) ? "p99" : "slowest of too few for a p99", latency.p99AtMost());
		}
		if (mode == Mode.SYNC) {
			return null;
		}
		if (savedP99Millis == null) {
			return "accepted orders were not saved in time";
		}
		if (leftBehind > tally.answered() * GROWTH + FEW) {
			return String.format(Locale.ROOT, "%,d more orders wait at its end than at its beginning", leftBehind);
		}
		return (savedP99Millis > this.savedP99.toMillis())
				? String.format(Locale.ROOT, "saved-p99 %,.0f ms", savedP99Millis) : null;
	}

	@Override
	public String toString() {
		return String.format(Locale.ROOT,
				"p99 of the answers at most %,d ms, p99 from accepted to saved of queued orders at most %,d ms, no failures, no backlog that grows by more than %.0f %% of what is accepted",
				this.p99.toMillis(), this.savedP99.toMillis(), GROWTH * 100);
	}

}
