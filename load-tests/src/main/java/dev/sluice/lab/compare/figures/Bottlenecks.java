package dev.sluice.lab.compare.figures;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Collectors;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.Setup;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What limits the rates of a run's cells. A limit of W orders at a time that take L
 * seconds each is a ceiling of W / L orders per second, whatever the gateway does.
 */
public final class Bottlenecks {

	/** A cell that reaches this share of its ceiling is limited by it. */
	private static final double NEAR_CEILING = 0.85;

	/**
	 * Further bottlenecks are only in the report's section about them.
	 */
	private static final int MAX_SENTENCES = 3;

	private final @Nullable Setup setup;

	public Bottlenecks(RunResult run) {
		this.setup = (run.finding() instanceof CompareResult compare) ? compare.setup() : null;
	}

	/**
	 * Maximum number of orders per second that the load or the consumer's limit lets
	 * through to a backend with a fixed time per order. Ignores the backend's own limit.
	 * Empty if unknown.
	 */
	public OptionalDouble ceiling(String capacity, String mode, Load load) {
		Long millis = (this.setup != null) ? this.setup.backendMillis().get(capacity) : null;
		if (this.setup == null || millis == null || millis == 0) {
			return OptionalDouble.empty();
		}
		if (mode.equals(Coordinates.QUEUED)) {
			return OptionalDouble.of(this.setup.deliveryConcurrency() * 1_000.0 / millis);
		}
		return (load.kind() == Load.Kind.IN_FLIGHT) ? OptionalDouble.of(load.size() * 1_000.0 / millis)
				: OptionalDouble.empty();
	}

	/**
	 * The bottlenecks of a run's cells, the most frequent first. Each appears once, with
	 * the number of cells that it limited and the words of the first of them. Cells of
	 * unknown utilisation count for their ceiling if they came near it.
	 */
	public List<String> sentences(RunResult run) {
		Map<String, List<CellResult>> cells = run.cells()
			.stream()
			.filter((cell) -> !what(cell).isEmpty())
			.collect(Collectors.groupingBy(this::what, TreeMap::new, Collectors.toList()));
		return cells.values()
			.stream()
			.sorted(Comparator.comparingInt((List<CellResult> own) -> own.size()).reversed())
			.limit(MAX_SENTENCES)
			.map((own) -> "Bottleneck of %d of %d cells%s: %s".formatted(own.size(), run.cells().size(),
					(own.size() > 1 && bottleneck(own.getFirst()) != null) ? ", first in " + name(own.getFirst()) : "",
					sentence(own.getFirst())))
			.toList();
	}

	private static String name(CellResult cell) {
		return "%s %s, %s, %s".formatted(cell.cell().variant(), cell.cell().mode(), cell.cell().capacity(),
				cell.cell().load());
	}

	/**
	 * Key of a cell's bottleneck: equal if two cells have the same one, whatever its
	 * figures.
	 */
	private String what(CellResult cell) {
		Bottleneck bottleneck = bottleneck(cell);
		if (bottleneck == null) {
			return sentence(cell);
		}
		return (bottleneck instanceof Bottleneck.Limit limit)
				? "%s %s %s".formatted(limit.service(), limit.what(), limit.limit())
				: bottleneck.getClass().getSimpleName();
	}

	private static @Nullable Bottleneck bottleneck(CellResult cell) {
		return (cell.utilisation() != null) ? cell.utilisation().bottleneck() : null;
	}

	private String sentence(CellResult cell) {
		return cell.bottleneckSentence().isEmpty() ? nearCeiling(cell) : cell.bottleneckSentence();
	}

	private String nearCeiling(CellResult cell) {
		OptionalDouble ceiling = ceiling(cell.cell().capacity(), cell.cell().mode(), cell.cell().load());
		if (ceiling.isEmpty() || cell.savedPerSecond() < NEAR_CEILING * ceiling.getAsDouble()) {
			return "";
		}
		return cell.cell().mode().equals(Coordinates.QUEUED)
				? "the consumer's limit allows %s/s.".formatted(Figures.measured(ceiling.getAsDouble()))
				: "%s, each for the backend's time, allow %s/s.".formatted(cell.cell().load(),
						Figures.measured(ceiling.getAsDouble()));
	}

}
