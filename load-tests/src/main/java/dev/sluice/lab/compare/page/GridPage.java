package dev.sluice.lab.compare.page;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What {@code lab grid} shows before the sections of every comparison: gateways by the
 * backend's delay.
 */
public final class GridPage {

	/** The experiment's name in results. */
	public static final String NAME = "grid";

	/**
	 * Size of the reference's thread pool, as its figures imply. At 500 ms it answered
	 * 184/s without blocking and a 6.5th of that with blocking, 28/s, which keeps 14
	 * threads busy; 250 ms and 100 ms give 14 and 12.
	 */
	public static final int SMALL_POOL_THREADS = 14;

	/** Name of the blocking gateway with a pool as small as the reference's. */
	public static final String SMALL_POOL = "servlet-platform-" + SMALL_POOL_THREADS;

	private static final String USUAL_POOL = "servlet-platform";

	private static final String ASYNC = "servlet-async";

	/** The reference's highest load. */
	private static final int REFERENCE_LOAD = 100;

	/** Long enough for the number of requests at the backend to reach its maximum. */
	private static final String QUEUE_BACKEND = "100 ms";

	private final List<CellGroup> groups;

	/** Backends, named by their delay. */
	private final List<String> delays;

	/**
	 * The load at which the variants are compared: the reference's highest, or the
	 * nearest measured one below it; 0 if none was measured.
	 */
	private final int load;

	private GridPage(RunResult run) {
		this.groups = CellGroup.of(run);
		this.delays = List.copyOf(CellGroup.by(CellGroup::capacity, this.groups).keySet());
		this.load = CellGroup.sizes(this.groups)
			.stream()
			.filter((load) -> load <= REFERENCE_LOAD)
			.max(Integer::compare)
			.orElse(0);
	}

	static List<Section> sections(RunResult run) {
		GridPage page = new GridPage(run);
		return List.of(page.ratios(), page.queue());
	}

	private Section ratios() {
		Section section = new Section("ratio", "How much more does a gateway answer that does not block?");
		section.answers(this.delays.stream()
			.map((delay) -> "%s: %s times as much as %s blocked threads, %s times as much as 200.".formatted(delay,
					Figures.measured(ratioTo(SMALL_POOL, delay)), SMALL_POOL_THREADS,
					Figures.measured(ratioTo(USUAL_POOL, delay))))
			.toList());
		section.table(Table.of(
				"Throughput of servlet-async with %s requests in flight, as a multiple"
					.formatted(Figures.count(this.load)),
				this.delays,
				List.of(Column.words("Backend's delay", (delay) -> delay),
						Column.measured("of %s threads".formatted(SMALL_POOL_THREADS),
								(delay) -> ratioTo(SMALL_POOL, delay)),
						Column.measured("of 200 threads", (delay) -> ratioTo(USUAL_POOL, delay)),
						Column.measured("of virtual threads", (delay) -> ratioTo("servlet-virtual", delay)),
						Column.measured("of reactive", (delay) -> ratioTo("reactive", delay)))));
		section.note(
				"The reference does not say how large its pool was. %s threads are what its figures imply: at 500 ms a 6.5th of 184 answers per second, each keeping a thread busy for half a second."
					.formatted(SMALL_POOL_THREADS));
		return section;
	}

	private @Nullable Double ratioTo(String variant, String delay) {
		Optional<CellResult> async = at(ASYNC, delay);
		return at(variant, delay).filter((other) -> async.isPresent() && other.savedPerSecond() > 0)
			.map((other) -> async.orElseThrow().savedPerSecond() / other.savedPerSecond())
			.orElse(null);
	}

	private Optional<CellResult> at(String variant, String delay) {
		return CellGroup.at(this.groups, new Series(delay, CellGroup.SYNC, variant), this.load)
			.map((group) -> group.cells().getFirst());
	}

	private Section queue() {
		Section section = new Section("queue", "How many execute, how many queue?");
		List<CellResult> cells = this.groups.stream()
			.filter((group) -> group.capacity().equals(QUEUE_BACKEND) && group.size() == this.load)
			.map((group) -> group.cells().getFirst())
			.toList();
		section.paragraph(
				"Executing: the maximum number of requests in flight that were at the backend together. The others waited in the gateway for a thread. A gateway answers 503 to a request that it does not let wait.");
		if (!cells.isEmpty()) {
			section.chart(
					new Chart.Stack("%s in flight, backend takes %s".formatted(Figures.count(this.load), QUEUE_BACKEND),
							"requests in flight", null, List.of("executing", "queued"),
							cells.stream()
								.map((cell) -> new Chart.StackRow(cell.cell().variant(), Reliability.marked(cell),
										List.of((double) executing(cell), (double) queued(cell))))
								.toList()),
					Table.of("Requests", cells,
							List.of(Column.words("Variant", (cell) -> cell.cell().variant()),
									Column.count("executing, at most", GridPage::executing),
									Column.count("queued", GridPage::queued),
									Column.count("answered 503", GridPage::refused))));
		}
		return section;
	}

	private static int executing(CellResult cell) {
		return Objects.requireNonNullElse(cell.backendMaxInFlight(), 0);
	}

	/** Requests in flight beyond those that were at the backend at once. */
	private static int queued(CellResult cell) {
		return Math.max(0, cell.cell().load().size() - executing(cell));
	}

	/** Requests answered 503, of any problem type. */
	private static long refused(CellResult cell) {
		return cell.failures()
			.entrySet()
			.stream()
			.filter((failure) -> failure.getKey().startsWith("HTTP 503"))
			.mapToLong((failure) -> failure.getValue())
			.sum();
	}

}
