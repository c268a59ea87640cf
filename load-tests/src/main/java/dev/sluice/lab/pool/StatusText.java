package dev.sluice.lab.pool;

import java.util.Locale;

import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;

/**
 * A status in the reference's form, with true percentiles next to the reference's means.
 */
final class StatusText {

	private StatusText() {
	}

	static String of(Status status) {
		StringBuilder text = new StringBuilder("===== status =====%n".formatted());
		text.append("queued: %d%ninflight: %d%nerrors: %d%nconcurrency: %d%n".formatted(status.queued(),
				status.inFlight(), status.errors(), status.concurrency()));
		text.append(
				"open connections: %d (%d opened)%n".formatted(status.openConnections(), status.openedConnections()));
		for (Share share : status.shares()) {
			text.append(String.format(Locale.ROOT,
					"%7.3f%%: %d written, %.0f ms avg latency (%.0f - %.0f), percentile %s%n", share.percent(),
					share.written(), share.meanMillis(), share.minMillis(), share.maxMillis(),
					(share.percentileMillis() != null) ? "%.0f ms".formatted(share.percentileMillis()) : "-"));
		}
		return text.toString();
	}

}
