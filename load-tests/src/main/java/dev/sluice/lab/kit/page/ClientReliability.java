package dev.sluice.lab.kit.page;

import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** What is to be said of a run, and of a load that was sent by the clock. */
public final class ClientReliability {

	/** A generator later than this has other latencies than its target. */
	public static final double LAG_LIMIT_MILLIS = 20;

	/** Beyond what rate and least latency explain. */
	private static final double SLACK = 1.5;

	private ClientReliability() {
	}

	public static boolean marked(Run run) {
		return marked(run.lag().p99AtMost(), run.foreignCpuShare());
	}

	/**
	 * Whether a load was sent late or disturbed, or it is not known.
	 * @param lagP99Millis of its generator, at most
	 * @param foreignCpuShare of the machine's CPU, 0 to 1; null if not sampled
	 */
	public static boolean marked(double lagP99Millis, @Nullable Double foreignCpuShare) {
		return lagP99Millis > LAG_LIMIT_MILLIS || Reliability.disturbed(foreignCpuShare);
	}

	/**
	 * Whether every request was sent, none failed, and no more was outstanding at the end
	 * than rate and least latency explain (Little's law).
	 */
	public static boolean keptUp(Run run) {
		Second last = run.last();
		Timing latency = run.latency();
		if (last == null || latency == null || run.tally().notSent() > 0 || run.tally().failed() > 0) {
			return false;
		}
		return last.outstanding() <= Math.max(1, run.requestsPerSecond()) * SLACK * Math.max(latency.min(), 1_000)
				/ 1_000;
	}

}
