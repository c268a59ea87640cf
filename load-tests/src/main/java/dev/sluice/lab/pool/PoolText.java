package dev.sluice.lab.pool;

import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Status;

/** What new and kept connections came to, in 100 columns of text. */
final class PoolText {

	private PoolText() {
	}

	static String of(PoolResult result) {
		StringBuilder text = new StringBuilder("%-12s %9s %9s %7s %9s %8s %12s %9s %9s%n".formatted("Connections",
				"produced", "written", "errors", "in flight", "queued", "connections", "p99 ms", "max ms"));
		for (Case each : result.cases()) {
			if (!each.statuses().isEmpty()) {
				Status end = each.statuses().getLast();
				double p99 = end.shares()
					.stream()
					.filter((share) -> share.percent() == 99)
					.mapToDouble(PoolResult.Share::percentileMillis)
					.findFirst()
					.orElse(0);
				text.append(
						"%-12s %,9d %,9d %,7d %,9d %,8d %,12d %,9.0f %,9.0f%n".formatted(each.name(), end.produced(),
								end.written(), end.errors(), end.inFlight(), end.queued(), end.openedConnections(), p99,
								end.shares().isEmpty() ? 0 : end.shares().getFirst().maxMillis()));
			}
		}
		return text.toString();
	}

}
