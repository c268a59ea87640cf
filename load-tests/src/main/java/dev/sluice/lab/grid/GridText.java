package dev.sluice.lab.grid;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/** A grid as text of 100 columns, with a table for each delay. */
final class GridText {

	private GridText() {
	}

	static String of(GridResult grid) {
		StringBuilder text = new StringBuilder();
		List<Integer> loads = grid.cells().stream().map(Cell::concurrency).distinct().sorted().toList();
		for (long delay : grid.cells().stream().map(Cell::delayMillis).distinct().sorted().toList()) {
			text.append("%-32s".formatted("Answers per second, %d ms".formatted(delay)));
			loads.forEach((load) -> text.append("%,8d".formatted(load)));
			text.append("%9s %9s%n".formatted("p50 ms", "p99 ms"));
			for (String variant : grid.cells().stream().map(Cell::variant).distinct().toList()) {
				text.append("  %-30s".formatted(variant));
				Cell last = null;
				for (int load : loads) {
					Optional<Cell> cell = grid.cells()
						.stream()
						.filter((each) -> each.variant().equals(variant) && each.delayMillis() == delay
								&& each.concurrency() == load)
						.findFirst();
					text.append(cell.map((each) -> String.format(Locale.ROOT, "%,8.0f", each.perSecond()))
						.orElse("       -"));
					last = cell.orElse(last);
				}
				Timing latency = (last != null) ? last.latency() : null;
				text.append((latency != null) ? "%s %s%n".formatted(millis(latency.p50()), millis(latency.p99()))
						: System.lineSeparator());
			}
		}
		long refused = grid.cells().stream().mapToLong(Cell::refused).sum();
		return text.append("Answered 503: %,d%n".formatted(refused)).toString();
	}

	private static String millis(@Nullable Double millis) {
		return (millis != null) ? String.format(Locale.ROOT, "%,9.0f", millis) : "        -";
	}

}
