package dev.sluice.lab.compare.page;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Timing;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Part;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/** Tables of single cells: what limited each, and all their figures. */
final class CellTables {

	/** Further bottlenecks are only in the table. */
	private static final int MAX_BOTTLENECKS = 3;

	private CellTables() {
	}

	/** The columns that say which cell, or which repetitions of it, a row is about. */
	static <T> List<Column<T>> coordinates(Function<T, Cell> cell, Predicate<T> marked) {
		return List.of(Column.words("Variant", (row) -> cell.apply(row).variant()),
				Column.words("Mode", (row) -> cell.apply(row).mode()),
				Column.words("Backend", (row) -> cell.apply(row).capacity()),
				Column.words("load", (T row) -> cell.apply(row).load().toString()).marked(marked));
	}

	/** The columns of rows that are parts of a cell. */
	private static <T> List<Column<T>> coordinates(Function<T, CellResult> of) {
		List<Column<T>> columns = new ArrayList<>(
				coordinates((row) -> of.apply(row).cell(), (row) -> Reliability.marked(of.apply(row))));
		columns.add(Column.count("repetition", (row) -> of.apply(row).cell().repetition()));
		return columns;
	}

	@SafeVarargs
	static <T> Table table(String caption, List<T> rows, List<Column<T>> first, Column<T>... further) {
		return Table.of(caption, rows, Stream.concat(first.stream(), Stream.of(further)).toList());
	}

	private static <P> List<Column<Part<CellResult, P>>> services(Function<P, String> name) {
		List<Column<Part<CellResult, P>>> columns = new ArrayList<>(coordinates(Part::whole));
		columns.addFirst(Column.words("Service", (service) -> name.apply(service.part())));
		return columns;
	}

	static boolean hasUtilisations(RunResult run) {
		return run.cells().stream().anyMatch((cell) -> cell.utilisation() != null);
	}

	/** What limited most cells, in sentences. */
	static List<String> bottlenecks(RunResult run) {
		if (ComparePage.refusal(run).isPresent()) {
			return List.of();
		}
		return run.cells()
			.stream()
			.filter((cell) -> bottleneck(cell) != null)
			.collect(Collectors.groupingBy(CellTables::alike, TreeMap::new, Collectors.toList()))
			.values()
			.stream()
			.sorted(Comparator.comparingInt((List<CellResult> cells) -> cells.size()).reversed())
			.limit(MAX_BOTTLENECKS)
			.map((cells) -> "Bottleneck of %s of %s cells%s: %s".formatted(cells.size(), run.cells().size(),
					(cells.size() > 1) ? ", first in %s".formatted(cells.getFirst().cell()) : "",
					Objects.requireNonNull(bottleneck(cells.getFirst())).sentence()))
			.toList();
	}

	/** What limited a cell; null if too little is known or the cell is unreliable. */
	private static @Nullable Bottleneck bottleneck(CellResult cell) {
		return (cell.utilisation() != null && !Reliability.unusable(cell)) ? cell.utilisation().bottleneck() : null;
	}

	/** Equal if two cells have the same bottleneck, whatever its figures. */
	private static String alike(CellResult cell) {
		Bottleneck bottleneck = Objects.requireNonNull(bottleneck(cell));
		return (bottleneck instanceof Bottleneck.Limit limit)
				? "%s %s %s".formatted(limit.service(), limit.what(), limit.limit())
				: bottleneck.getClass().getSimpleName();
	}

	/** What limited each cell, and how busy every process was. */
	static Section bottleneck(RunResult run) {
		Section section = new Section("bottleneck", "Bottlenecks").answers(bottlenecks(run));
		section.paragraph(
				"The first rule that holds: the load generator was late; the machine's CPU was used to 90 % or more, and the rate is below 80 % of what the limit on calls to the backend allows at the backend's latency; a limit was reached in half of the scrapes or more; the machine's CPU was used to 90 % or more; the backend held 80 % or more of the calls that wait for it; otherwise calls in flight by what each took.");
		List<CellResult> cells = run.cells().stream().filter((cell) -> cell.utilisation() != null).toList();
		section.table(table("What limited each cell", cells, coordinates((cell) -> cell),
				Column.words("Limited by", CellTables::limit),
				Column.measured("orders per second", CellResult::savedPerSecond),
				Column.measured("ceiling: limit by latency, per second", CellResult::utilisation,
						Utilisation::ceilingPerSecond),
				Column.percent("machine's CPU", (cell) -> utilisation(cell).busyShare()),
				Column.measured("backend, ms", CellResult::utilisation, Utilisation::backendMillis),
				Column.measured("in the backend", CellResult::utilisation, Utilisation::backendInFlight)));
		section.details("Limits, at least half used",
				table("Limits that services export, by one scrape per second",
						Part.of(cells, (cell) -> utilisation(cell).limits()), services(LimitUse::service),
						Column.words("Limited", (limit) -> limit.part().what()),
						Column.count("limit", (limit) -> limit.part().limit()),
						Column.measured("used, mean", (limit) -> limit.part().used()),
						Column.percent("at the limit", (limit) -> limit.part().share())));
		return section;
	}

	private static String limit(CellResult cell) {
		if (Reliability.unusable(cell)) {
			return "Unreliable: %s.".formatted(String.join("; ", Reliability.of(cell)));
		}
		Bottleneck bottleneck = utilisation(cell).bottleneck();
		return (bottleneck != null) ? bottleneck.sentence() : "Too little is known.";
	}

	private static Utilisation utilisation(CellResult cell) {
		return Objects.requireNonNull(cell.utilisation());
	}

	/** All cells, in the order they ran. */
	static Section all(RunResult run) {
		Section section = new Section("cells", "All cells");
		if (run.cells().isEmpty()) {
			return section.answers(List.of("No cell was measured."));
		}
		section.paragraph("In the order they were run, without aggregation.");
		section.details("Figures of all %s cells".formatted(Figures.count(run.cells().size())), orders(run.cells()));
		section.details("Latency of calls, and connections", calls(run.cells()));
		section.details("What each service spent in each cell", services(run.cells()));
		List<CellResult> marked = run.cells().stream().filter(Reliability::marked).toList();
		if (!marked.isEmpty()) {
			section.table(Table.of("Marked %s, and why".formatted(Reliability.SIGN), marked,
					List.of(Column.words("Cell", (cell) -> cell.cell().toString()),
							Column.words("Why", (cell) -> String.join("; ", Reliability.of(cell))))));
		}
		return section;
	}

	private static Table orders(List<CellResult> cells) {
		return table("All cells: orders and calls", cells, coordinates((cell) -> cell),
				Column.measured("saved per second", CellResult::savedPerSecond),
				Column.measured("accepted per second", CellResult::acceptedPerSecond),
				Column.figure("window", (cell) -> Figures.duration(Duration.between(cell.start(), cell.end()))),
				Column.count("accepted", CellResult::accepted), Column.count("saved", CellResult::saved),
				Column.count("calls", CellResult::calls), Column.count("failed calls", CellResult::failedCalls),
				Column.figure("failed of", (cell) -> failures(cell.failures())),
				Column.percent("foreign CPU", CellResult::foreignCpuShare));
	}

	private static String failures(Map<String, Long> failures) {
		return failures.isEmpty() ? Figures.NONE
				: new TreeMap<>(failures).entrySet()
					.stream()
					.map((failure) -> "%s: %s".formatted(failure.getKey(), Figures.count(failure.getValue())))
					.collect(Collectors.joining(", "));
	}

	private static Table calls(List<CellResult> cells) {
		return table("All cells: latency of answered calls, in milliseconds, and connections", cells,
				coordinates((cell) -> cell), Column.measured("mean", CellResult::latency, Timing::mean),
				Column.measured("p50", CellResult::latency, Timing::p50),
				Column.measured("p95", CellResult::latency, Timing::p95),
				Column.measured("p99", CellResult::latency, Timing::p99),
				Column.measured("max", CellResult::latency, Timing::max),
				Column.count("start lag", CellResult::startLagP99Millis),
				Column.count("connections", CellResult::connectionsOpened),
				Column.count("most in backend", CellResult::backendMaxInFlight));
	}

	private static Table services(List<CellResult> cells) {
		return table("What each service spent in each cell",
				Part.of(cells, (cell) -> new TreeMap<>(cell.services()).entrySet()), services(Map.Entry::getKey),
				Column.measured("CPU ms per order", (service) -> service.part().getValue().cpuMillisPerOrder()),
				Column.count("GC pauses", (service) -> service.part().getValue().gcPauses()),
				Column.measured("GC pause ms", (service) -> service.part().getValue().gcPauseMillis()),
				Column.measured("longest pause, ms", (service) -> service.part().getValue().gcPauseMaxMillis()),
				Column.count("peak platform threads", (service) -> service.part().getValue().peakThreads()),
				Column.bytes("peak RSS", (service) -> service.part().getValue().peakRssBytes()));
	}

}
