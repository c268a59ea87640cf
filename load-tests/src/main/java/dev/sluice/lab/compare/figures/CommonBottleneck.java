package dev.sluice.lab.compare.figures;

import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What limited some cells of a run.
 *
 * @param bottleneck with the figures of the first of them
 * @param first the first of them
 * @param cells how many
 */
public record CommonBottleneck(Bottleneck bottleneck, Cell first, int cells) {

	/** The bottlenecks of a run, that of most cells first. */
	public static List<CommonBottleneck> of(RunResult run) {
		return run.cells()
			.stream()
			.filter((cell) -> bottleneck(cell) != null)
			.collect(Collectors.groupingBy(CommonBottleneck::what, TreeMap::new, Collectors.toList()))
			.values()
			.stream()
			.map((cells) -> new CommonBottleneck(Objects.requireNonNull(bottleneck(cells.getFirst())),
					cells.getFirst().cell(), cells.size()))
			.sorted(Comparator.comparingInt(CommonBottleneck::cells).reversed())
			.toList();
	}

	/** What limited a cell; null if too little is known or the cell is unreliable. */
	private static @Nullable Bottleneck bottleneck(CellResult cell) {
		return (cell.utilisation() != null && !Reliability.unusable(cell)) ? cell.utilisation().bottleneck() : null;
	}

	/** Equal if two cells have the same bottleneck, whatever its figures. */
	private static String what(CellResult cell) {
		Bottleneck bottleneck = Objects.requireNonNull(bottleneck(cell));
		return (bottleneck instanceof Bottleneck.Limit limit)
				? "%s %s %s".formatted(limit.service(), limit.what(), limit.limit())
				: bottleneck.getClass().getSimpleName();
	}

}
