package dev.sluice.lab.compare.page;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import dev.sluice.lab.compare.figures.Bottlenecks;
import dev.sluice.lab.compare.figures.Coordinates;
import dev.sluice.lab.compare.figures.ModeByLoad;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * A comparison as text of 100 columns: the verdict, then tables for each capacity of the
 * backend. A table has a line for each gateway and mode, a column for each load, and
 * medians of the repetitions, marked if one of them is.
 */
public final class ResultTable {

	private static final int LABEL_WIDTH = 26;

	private static final int COLUMN_WIDTH = 9;

	private ResultTable() {
	}

	public static String of(RunResult run) {
		StringBuilder text = new StringBuilder();
		verdict(run).forEach((sentence) -> text.append(sentence).append(System.lineSeparator()));
		new Bottlenecks(run).sentences(run).forEach((sentence) -> text.append(sentence).append(System.lineSeparator()));
		if (!text.isEmpty()) {
			text.append(System.lineSeparator());
		}
		Map<String, List<CellResult>> byCapacity = new TreeMap<>(
				run.cells().stream().collect(Collectors.groupingBy((result) -> result.cell().capacity())));
		byCapacity.forEach((capacity, cells) -> {
			table(text, "Orders saved per second, backend " + capacity, cells, CellResult::savedPerSecond);
			table(text, "Median wait from the first try until accepted, ms, backend " + capacity, cells,
					(result) -> (result.toAccepted() != null) ? result.toAccepted().p50() : null);
			table(text, "Median wait from the first try until saved, ms, backend " + capacity, cells,
					(result) -> (result.toSaved() != null) ? result.toSaved().p50() : null);
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

	/** The answer comes first, except for a scenario, which asks another question. */
	private static List<String> verdict(RunResult run) {
		if (run.finding() instanceof CompareResult compare && compare.scenario() != null) {
			return List.of();
		}
		return (Coordinates.kind(run) == Load.Kind.OFFERED) ? RateSection.sentences(run)
				: ModeByLoad.sentences(ModeByLoad.of(List.of(run)));
	}

	private static void table(StringBuilder text, String title, List<CellResult> cells,
			Function<CellResult, @Nullable Double> figure) {
		List<Integer> orders = cells.stream().map((result) -> result.cell().load().size()).distinct().sorted().toList();
		text.append("%s; by %s".formatted(title, cells.getFirst().cell().load().kind().words()))
			.append(System.lineSeparator());
		StringBuilder head = new StringBuilder(" ".repeat(LABEL_WIDTH));
		orders.forEach((count) -> head.append(right(Figures.count(count), false)));
		text.append(head.toString().stripTrailing()).append(System.lineSeparator());
		Map<String, List<CellResult>> lines = cells.stream()
			.sorted(Comparator.comparing((CellResult result) -> result.cell().mode()).reversed())
			.collect(Collectors.groupingBy((result) -> result.cell().variant() + " " + result.cell().mode(),
					LinkedHashMap::new, Collectors.toList()));
		lines.forEach((label, results) -> {
			StringBuilder line = new StringBuilder(("%-" + LABEL_WIDTH + "s").formatted(label));
			for (int count : orders) {
				List<CellResult> places = results.stream()
					.filter((result) -> result.cell().load().size() == count)
					.toList();
				Double median = Figures
					.median(places.stream().map(figure).filter(Objects::nonNull).mapToDouble(Double::doubleValue));
				line.append(right(Figures.measured(median), places.stream().anyMatch(Reliability::marked)));
			}
			text.append(line.toString().stripTrailing()).append(System.lineSeparator());
		});
		text.append(System.lineSeparator());
	}

	/** Right-aligned; the last place of a column is for the mark. */
	private static String right(String value, boolean marked) {
		return ("%" + COLUMN_WIDTH + "s").formatted(value + (marked ? Reliability.SIGN : " "));
	}

}
