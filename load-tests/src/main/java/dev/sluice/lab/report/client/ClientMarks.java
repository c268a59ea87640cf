package dev.sluice.lab.report.client;

import dev.sluice.lab.report.page.Marks;
import dev.sluice.lab.result.ClientResult.Run;
import dev.sluice.lab.result.ClientResult.Second;
import dev.sluice.lab.result.Timing;

/** What is to be said of a run. */
final class ClientMarks {

	/** A generator later than this has other latencies than its target. */
	static final double LAG_LIMIT_MILLIS = 20;

	/** Beyond what rate and least latency explain. */
	private static final double SLACK = 1.5;

	private ClientMarks() {
	}

	static boolean marked(Run run) {
		return run.lag().p99() > LAG_LIMIT_MILLIS
				|| (run.foreignCpuShare() != null && run.foreignCpuShare() > Marks.FOREIGN_CPU_LIMIT);
	}

	/**
	 * Whether no more was outstanding at the end than rate and least latency explain
	 * (Little's law).
	 */
	static boolean keptUp(Run run) {
		Second last = run.last();
		Timing latency = run.latency();
		if (last == null || latency == null || run.tally().notSent() > 0) {
			return false;
		}
		return last.outstanding() <= Math.max(1, run.requestsPerSecond()) * SLACK * Math.max(latency.min(), 1_000)
				/ 1_000;
	}

}
