package dev.sluice.lab.pool;

import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;

import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.PoolResult.Case;
import dev.sluice.lab.kit.result.PoolResult.Share;
import dev.sluice.lab.kit.result.PoolResult.Status;
import org.jspecify.annotations.Nullable;

/** The results of new and kept connections, as text of 100 columns. */
final class PoolText {

	private PoolText() {
	}

	static String of(PoolResult result) {
		StringBuilder text = new StringBuilder("%-12s %9s %9s %7s %9s %8s %12s %9s %9s%n".formatted("Connections",
				"produced", "written", "errors", "in flight", "queued", "connections", "p99 ms", "max ms"));
		for (Case each : result.cases()) {
			if (!each.statuses().isEmpty()) {
				Status end = each.statuses().getLast();
				text.append("%-12s %,9d %,9d %,7d %,9d %,8d %,12d %9s %9s%n".formatted(each.name(), end.produced(),
						end.written(), end.errors(), end.inFlight(), end.queued(), end.openedConnections(),
						millis(end, 99, Share::percentileMillis), millis(end, 100, Share::maxMillis)));
			}
		}
		return text.toString();
	}

	private static String millis(Status status, double percent, Function<Share, @Nullable Double> figure) {
		return status.shares()
			.stream()
			.filter((share) -> share.percent() == percent)
			.map(figure)
			.filter(Objects::nonNull)
			.map((millis) -> String.format(Locale.ROOT, "%,.0f", millis))
			.findFirst()
			.orElse("-");
	}

}
