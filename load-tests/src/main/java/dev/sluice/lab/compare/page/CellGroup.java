package dev.sluice.lab.compare.page;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.cell.PairedComparison;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * Cells whose figures are taken together, usually the repetitions of a series at a load.
 *
 * @param cells at least one; the coordinates are those of the first
 */
public record CellGroup(List<CellResult> cells) {

	public static final String SYNC = "sync";

	public static final String QUEUED = "queued";

	static final String WORKERS = "workers";

	static final String STARVED = "starved";

	static final String UNLIMITED = "unlimited";

	private static final List<String> VARIANTS = List.of("servlet-platform", "servlet-virtual", "servlet-async",
			"reactive");

	/**
	 * The order in which reports list cells: slow backends first, as there a mode matters
	 * most; unknown names last.
	 */
	private static final Comparator<Series> ORDER = Comparator
		.comparing(Series::capacity, as(List.of(WORKERS, STARVED, UNLIMITED)))
		.thenComparing(Series::mode, as(List.of(SYNC, QUEUED)))
		.thenComparing(Series::variant, as(VARIANTS));

	/** A cell's coordinates without the load and the repetition. */
	public record Series(String capacity, String mode, String variant) {

		public static Series of(Cell cell) {
			return new Series(cell.capacity(), cell.mode(), cell.variant());
		}

	}

	/** A cell and another one of the same repetition. */
	public record Pair(CellResult first, CellResult second) {
	}

	public CellGroup {
		cells = List.copyOf(cells);
	}

	/** The repetitions of each series and load of a run, by series and rising load. */
	public static List<CellGroup> of(RunResult run) {
		return run.cells().stream().collect(Collectors.groupingBy((result) -> {
			Cell cell = result.cell();
			return new Cell(cell.variant(), cell.mode(), cell.capacity(), cell.load(), 0);
		}))
			.values()
			.stream()
			.map(CellGroup::new)
			.sorted(Comparator.comparing(CellGroup::series, ORDER).thenComparing(CellGroup::load))
			.toList();
	}

	/** Groups with something in common, in their order. */
	public static <K> Map<K, List<CellGroup>> by(Function<CellGroup, K> key, List<CellGroup> groups) {
		return groups.stream().collect(Collectors.groupingBy(key, LinkedHashMap::new, Collectors.toList()));
	}

	/** The group of a series at a load. */
	public static Optional<CellGroup> at(List<CellGroup> groups, Series series, int size) {
		return groups.stream().filter((group) -> group.size() == size && group.series().equals(series)).findFirst();
	}

	public static List<Integer> sizes(List<CellGroup> groups) {
		return groups.stream().map(CellGroup::size).distinct().sorted().toList();
	}

	/**
	 * What reports show in detail: for each backend the load at which most of its series
	 * were measured, the highest of those.
	 */
	public static List<CellGroup> inDetail(List<CellGroup> groups) {
		return by(CellGroup::capacity, groups).values()
			.stream()
			.flatMap((backend) -> by(CellGroup::size, backend).values()
				.stream()
				.max(Comparator.<List<CellGroup>>comparingInt(List::size)
					.thenComparing((series) -> series.getFirst().size()))
				.stream()
				.flatMap(List::stream))
			.toList();
	}

	public Series series() {
		return Series.of(this.cells.getFirst().cell());
	}

	public String capacity() {
		return series().capacity();
	}

	public String mode() {
		return series().mode();
	}

	public String variant() {
		return series().variant();
	}

	public Load load() {
		return this.cells.getFirst().cell().load();
	}

	public int size() {
		return load().size();
	}

	/** Whether one of them is unreliable. */
	public boolean marked() {
		return this.cells.stream().anyMatch(Reliability::marked);
	}

	/** Share of their calls that failed, 0 to 1. */
	public double failedShare() {
		long calls = this.cells.stream().mapToLong(CellResult::calls).sum();
		long failed = this.cells.stream().mapToLong(CellResult::failedCalls).sum();
		return (calls > 0) ? (double) failed / calls : 0;
	}

	/** The median; null if one of them lacks the figure: it may be the worst. */
	public @Nullable Double median(Function<CellResult, @Nullable Double> figure) {
		return this.cells.stream().map(figure).allMatch(Objects::nonNull) ? Figures.median(this.cells, figure) : null;
	}

	/** The median of a figure of a part that may be missing. */
	public <P> @Nullable Double median(Function<CellResult, @Nullable P> part, Function<P, @Nullable Double> figure) {
		return median((cell) -> {
			P present = part.apply(cell);
			return (present != null) ? figure.apply(present) : null;
		});
	}

	/** The median over the load, with whiskers from the least to the greatest. */
	public Optional<Chart.Point> point(Function<CellResult, @Nullable Double> figure) {
		Double median = median(figure);
		if (median == null) {
			return Optional.empty();
		}
		List<Double> sorted = this.cells.stream().map(figure).filter(Objects::nonNull).sorted().toList();
		return Optional
			.of(new Chart.Point(size(), median, sorted.getFirst(), sorted.getLast(), marked(), failedShare()));
	}

	/** The pairs with another group, of which both cells have a rate. */
	public List<Pair> pairs(CellGroup other) {
		return this.cells.stream()
			.flatMap((first) -> other.cells.stream()
				.filter((second) -> second.cell().repetition() == first.cell().repetition())
				.map((second) -> new Pair(first, second)))
			.filter((pair) -> pair.first().savedPerSecond() > 0 && pair.second().savedPerSecond() > 0)
			.toList();
	}

	/**
	 * Compares the figures of the second cells with those of the first, in the pairs of
	 * which both have it; null if none has.
	 */
	static @Nullable PairedComparison compare(List<Pair> pairs, Function<CellResult, @Nullable Double> figure) {
		DoubleStream.Builder first = DoubleStream.builder();
		DoubleStream.Builder second = DoubleStream.builder();
		for (Pair pair : pairs) {
			Double one = figure.apply(pair.first());
			Double other = figure.apply(pair.second());
			if (one != null && one > 0 && other != null && other > 0) {
				first.add(one);
				second.add(other);
			}
		}
		double[] figures = first.build().toArray();
		return (figures.length > 0) ? PairedComparison.of(figures, second.build().toArray()) : null;
	}

	/** A variant's style in charts, an index into the page's colours and shapes. */
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

	private static Comparator<String> as(List<String> known) {
		return Comparator.<String>comparingInt((name) -> known.contains(name) ? known.indexOf(name) : known.size())
			.thenComparing(Comparator.naturalOrder());
	}

}
