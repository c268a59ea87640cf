package dev.sluice.lab.compare.figures;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunResult;

/**
 * The order in which reports list cells, and the style of each variant. Unknown names
 * come last.
 */
public final class Coordinates {

	public static final String SYNC = "sync";

	public static final String QUEUED = "queued";

	static final String WORKERS = "workers";

	static final String STARVED = "starved";

	static final String UNLIMITED = "unlimited";

	private static final List<String> CAPACITIES = List.of(WORKERS, STARVED, UNLIMITED);

	private static final List<String> MODES = List.of(SYNC, QUEUED);

	private static final List<String> VARIANTS = List.of("servlet-platform", "servlet-virtual", "servlet-async",
			"reactive");

	/** A cell's coordinates without the load and the repetition. */
	public record Series(String capacity, String mode, String variant) {

		public static Series of(Cell cell) {
			return new Series(cell.capacity(), cell.mode(), cell.variant());
		}

		@Override
		public String toString() {
			return "%s, %s, backend %s".formatted(this.variant, this.mode, this.capacity);
		}

	}

	/** Slow backends first. */
	static final Comparator<String> BACKENDS = as(CAPACITIES);

	static final Comparator<Series> ORDER = Comparator.comparing(Series::capacity, BACKENDS)
		.thenComparing(Series::mode, as(MODES))
		.thenComparing(Series::variant, as(VARIANTS));

	private Coordinates() {
	}

	/**
	 * The style of a variant in charts.
	 * @param variant its name
	 * @return an index into the page's colours and shapes
	 */
	public static int style(String variant) {
		int known = VARIANTS.indexOf(variant);
		return (known >= 0) ? known : VARIANTS.size();
	}

	/** A backend's name in reports. */
	public static String backend(String capacity) {
		return switch (capacity) {
			case WORKERS -> "Slow backend (20 workers)";
			case STARVED -> "Slow backend (starved)";
			case UNLIMITED -> "Fast backend (unlimited)";
			default -> "Backend " + capacity;
		};
	}

	public static List<Series> series(RunResult run) {
		return cells(run).map(Series::of).distinct().sorted(ORDER).toList();
	}

	public static List<String> capacities(RunResult run) {
		return cells(run).map(Cell::capacity).distinct().sorted(BACKENDS).toList();
	}

	public static List<Integer> loads(RunResult run) {
		return cells(run).map((cell) -> cell.load().size()).distinct().sorted().toList();
	}

	/**
	 * The load that reports show in detail: the highest one at which every series of the
	 * capacity was measured, or the highest of all if there is none.
	 * @param run the run
	 * @param capacity the backend's capacity
	 * @return empty if nothing was measured at that capacity
	 */
	public static OptionalInt closeLoad(RunResult run, String capacity) {
		List<Cell> cells = run.cells()
			.stream()
			.map(CellResult::cell)
			.filter((c) -> c.capacity().equals(capacity))
			.toList();
		Set<Series> all = cells.stream().map(Series::of).collect(Collectors.toSet());
		OptionalInt complete = cells.stream()
			.collect(Collectors.groupingBy((cell) -> cell.load().size(),
					Collectors.mapping(Series::of, Collectors.toSet())))
			.entrySet()
			.stream()
			.filter((entry) -> entry.getValue().equals(all))
			.mapToInt((entry) -> entry.getKey())
			.max();
		return complete.isPresent() ? complete : cells.stream().mapToInt((cell) -> cell.load().size()).max();
	}

	/** What the run's loads count; orders in flight for a run without cells. */
	public static Load.Kind kind(RunResult run) {
		return cells(run).map((cell) -> cell.load().kind()).findFirst().orElse(Load.Kind.IN_FLIGHT);
	}

	public static List<CellResult> at(RunResult run, Series series, int orders) {
		return run.cells()
			.stream()
			.filter((c) -> c.cell().load().size() == orders && Series.of(c.cell()).equals(series))
			.toList();
	}

	private static Stream<Cell> cells(RunResult run) {
		return run.cells().stream().map(CellResult::cell);
	}

	private static Comparator<String> as(List<String> known) {
		return Comparator.<String>comparingInt((name) -> known.contains(name) ? known.indexOf(name) : known.size())
			.thenComparing(Comparator.naturalOrder());
	}

}
