package dev.sluice.lab.experiment;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.result.CellResult;
import dev.sluice.lab.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * A comparison in 100 columns of text: a table for each capacity of the backend, a line
 * for each gateway and way, a column for each number of orders, the median of the
 * repetitions in each place.
 */
final class ResultTable {

	private static final int LABEL_WIDTH = 26;

	private static final int COLUMN_WIDTH = 9;

	private ResultTable() {
	}

	static String of(RunResult run) {
		StringBuilder text = new StringBuilder();
		Map<String, List<CellResult>> byCapacity = run.cells()
			.stream()
			.collect(Collectors.groupingBy((result) -> result.cell().capacity(), LinkedHashMap::new,
					Collectors.toList()));
		byCapacity.forEach((capacity, cells) -> {
			table(text, "Orders saved per minute, backend " + capacity, cells, CellResult::ordersPerMinute);
			table(text, "p99 latency of an accepted call in ms, backend " + capacity, cells,
					(result) -> (result.latency() != null) ? result.latency().p99() : null);
			if (cells.stream().anyMatch((result) -> result.failedCalls() > 0)) {
				table(text, "Failed calls, tried again, backend " + capacity, cells,
						(result) -> (double) result.failedCalls());
			}
		});
		long doubtful = run.cells().stream().filter((result) -> result.problem() != null).count();
		if (doubtful > 0) {
			text.append("%d of %d cells are in doubt; the report says why.%n".formatted(doubtful, run.cells().size()));
		}
		Map<String, Long> leftOut = run.leftOut()
			.stream()
			.collect(Collectors.groupingBy(RunResult.LeftOut::why, LinkedHashMap::new, Collectors.counting()));
		leftOut.forEach((why, cells) -> text
			.append("%,d %s left out: %s.%n".formatted(cells, (cells == 1) ? "cell" : "cells", why)));
		return text.toString();
	}

	private static void table(StringBuilder text, String title, List<CellResult> cells,
			Function<CellResult, @Nullable Double> figure) {
		List<Integer> orders = cells.stream().map((result) -> result.cell().orders()).distinct().sorted().toList();
		text.append(title).append(System.lineSeparator());
		text.append(" ".repeat(LABEL_WIDTH));
		orders.forEach((count) -> text.append(right("N=" + count)));
		text.append(System.lineSeparator());
		Map<String, List<CellResult>> lines = cells.stream()
			.sorted(Comparator.comparing((CellResult result) -> result.cell().way()).reversed())
			.collect(Collectors.groupingBy((result) -> result.cell().variant() + " " + result.cell().way(),
					LinkedHashMap::new, Collectors.toList()));
		lines.forEach((label, results) -> {
			text.append(("%-" + LABEL_WIDTH + "s").formatted(label));
			for (int count : orders) {
				Double median = median(results.stream()
					.filter((result) -> result.cell().orders() == count)
					.map(figure)
					.filter((value) -> value != null)
					.toList());
				text.append(right((median != null) ? String.format(Locale.ROOT, "%,.0f", median) : "-"));
			}
			text.append(System.lineSeparator());
		});
		text.append(System.lineSeparator());
	}

	/** Of an even number the lower of the two in the middle; null of none. */
	private static @Nullable Double median(List<Double> values) {
		return values.isEmpty() ? null : values.stream().sorted().toList().get((values.size() - 1) / 2);
	}

	private static String right(String value) {
		return ("%" + COLUMN_WIDTH + "s").formatted(value);
	}

}
