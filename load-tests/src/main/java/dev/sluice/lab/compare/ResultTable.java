package dev.sluice.lab.compare;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.CellResult;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * A comparison in 100 columns of text: a table for each capacity of the backend, a line
 * for each gateway and mode, a column for each number of orders, the median of the
 * repetitions in each place, marked if one of them is.
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
				table(text, "Failed calls, retried, backend " + capacity, cells,
						(result) -> (double) result.failedCalls());
			}
		});
		long marked = run.cells().stream().filter(Reliability::marked).count();
		if (marked > 0) {
			text.append("%s %d of %d cells are unreliable; the report says why.%n".formatted(Reliability.SIGN, marked,
					run.cells().size()));
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
		StringBuilder head = new StringBuilder(" ".repeat(LABEL_WIDTH));
		orders.forEach((count) -> head.append(right("N=" + count, false)));
		text.append(head.toString().stripTrailing()).append(System.lineSeparator());
		Map<String, List<CellResult>> lines = cells.stream()
			.sorted(Comparator.comparing((CellResult result) -> result.cell().mode()).reversed())
			.collect(Collectors.groupingBy((result) -> result.cell().variant() + " " + result.cell().mode(),
					LinkedHashMap::new, Collectors.toList()));
		lines.forEach((label, results) -> {
			StringBuilder line = new StringBuilder(("%-" + LABEL_WIDTH + "s").formatted(label));
			for (int count : orders) {
				List<CellResult> places = results.stream().filter((result) -> result.cell().orders() == count).toList();
				Double median = median(places.stream().map(figure).filter((value) -> value != null).toList());
				line.append(right((median != null) ? String.format(Locale.ROOT, "%,.0f", median) : "-",
						places.stream().anyMatch(Reliability::marked)));
			}
			text.append(line.toString().stripTrailing()).append(System.lineSeparator());
		});
		text.append(System.lineSeparator());
	}

	/** The median; the lower of two in the middle; null without any. */
	private static @Nullable Double median(List<Double> values) {
		return values.isEmpty() ? null : values.stream().sorted().toList().get((values.size() - 1) / 2);
	}

	/** The last place of a column is the sign's. */
	private static String right(String value, boolean marked) {
		return ("%" + COLUMN_WIDTH + "s").formatted(value + (marked ? Reliability.SIGN : " "));
	}

}
