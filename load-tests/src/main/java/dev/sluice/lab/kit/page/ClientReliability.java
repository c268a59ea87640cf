package dev.sluice.lab.kit.page;

import dev.sluice.lab.kit.result.ClientResult.Run;
import dev.sluice.lab.kit.result.ClientResult.Second;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** Whether a client's run, or a load that was sent on schedule, is reliable. */
public final class ClientReliability {

	/** If a generator is later than this, its latencies are not those of its target. */
	public static final double LAG_LIMIT_MILLIS = 20;

	/** Factor allowed over what rate and least latency explain. */
	private static final double SLACK = 1.5;

	private ClientReliability() {
	}

	public static boolean marked(Run run) {
		return marked(run.lag().p99AtMost(), run.foreignCpuShare());
	}

	/**
	 * Whether a load was sent late, or other processes disturbed it or may have.
	 * @param lagP99Millis how late its generator sent 99 % of the requests, at most
	 * @param foreignCpuShare share of the machine's CPU that other processes used, 0 to
	 * 1; null if not sampled
	 */
	public static boolean marked(double lagP99Millis, @Nullable Double foreignCpuShare) {
		return lagP99Millis > LAG_LIMIT_MILLIS || Reliability.disturbed(foreignCpuShare);
	}

	/**
	 * Whether every request was sent, none failed, and no more were outstanding at the
	 * end than rate and least latency explain (Little's law).
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
