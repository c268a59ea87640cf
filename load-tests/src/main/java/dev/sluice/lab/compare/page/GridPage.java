package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.ReferenceTable;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.GridResult.Cell;
import dev.sluice.lab.kit.statistics.Timing;
import org.jspecify.annotations.Nullable;

/**
 * What {@code lab grid} shows: gateways by the backend's delay and the requests in
 * flight, next to the measurement that it repeats, of three machines and another
 * framework.
 */
public final class GridPage {

	private static final String REFERENCE = "reference-delay-grid.csv";

	private static final String ASYNC = "servlet-async";

	private static final List<String> STYLES = List.of("servlet-platform", "servlet-virtual", ASYNC, "reactive");

	/** The fifth colour, after those of the variants. */
	private static final int SMALL_POOL_STYLE = 4;

	/** Long enough for the number of requests at the backend to reach its maximum. */
	private static final long QUEUE_DELAY_MILLIS = 100;

	private final GridResult result;

	/** The load at which the variants are compared. */
	private final int load;

	private GridPage(GridResult result) {
		this.result = result;
		this.load = comparable();
	}

	/** The sections of a report, in the order of the page. */
	public static List<Section> sections(GridResult result) {
		GridPage page = new GridPage(result);
		return List.of(
				new Section("ratio", "How much more does a gateway answer that does not block?", page.answers(),
						page::ratios),
				new Section("throughput", "Throughput", page::throughput),
				new Section("queue", "How many execute, how many queue?", page::queue),
				new Section("response", "Response time, CPU and memory", page::response),
				Section.limits(
						"A closed model: a client waits for its answer before it sends again, so that stalls are under-represented and a faster gateway gets more requests.",
						"Each cell was run once, one gateway after the other: what the machine did meanwhile is in the ratios between gateways.",
						"Load generator, gateway and backend share this machine: where the backend takes no time, a rate is that of all three. The backend's delay is a timer, without a limit of its own.",
						"A gateway that has just been started spends more CPU on a request, until its code is compiled. After a quick run's warm-up it still does: its rates without a delay are those of a young gateway, a whole run's are higher."));
	}

	/** The answers and the throughput for the terminal. */
	public static String text(GridResult result) {
		GridPage page = new GridPage(result);
		String answers = Section.text(page.answers());
		long refused = result.cells().stream().mapToLong(Cell::refused).sum();
		return "%s%n%sAnswered 503: %s%n".formatted(answers, page.rates().text(), refused);
	}

	private List<String> answers() {
		if (this.result.cells().isEmpty()) {
			return List.of("No cell was measured.");
		}
		return delays().stream()
			.map((delay) -> "%s ms: %s times as much as %s blocked threads, %s times as much as 200.".formatted(delay,
					Figures.measured(ratioTo(smallPool(), delay)), this.result.smallPool(),
					Figures.measured(ratioTo("servlet-platform", delay))))
			.toList();
	}

	private void ratios(Html html) {
		if (this.result.cells().isEmpty()) {
			return;
		}
		html.table(Table.of(
				"Throughput of servlet-async with %s requests in flight, as a multiple"
					.formatted(Figures.count(this.load)),
				delays(),
				List.of(Column.words("Backend's delay", GridPage::millis),
						Column.measured("of %s threads".formatted(this.result.smallPool()),
								(delay) -> ratioTo(smallPool(), delay)),
						Column.measured("the reference's", GridPage::reference),
						Column.measured("of 200 threads", (delay) -> ratioTo("servlet-platform", delay)),
						Column.measured("of virtual threads", (delay) -> ratioTo("servlet-virtual", delay)),
						Column.measured("of reactive", (delay) -> ratioTo("reactive", delay)))));
		html.note(
				"The reference does not say how large its pool was. %s threads are what its figures imply: at 500 ms a 6.5th of 184 answers per second, each keeping a thread busy for half a second."
					.formatted(this.result.smallPool()));
	}

	private @Nullable Double ratioTo(String variant, long delay) {
		Optional<Cell> async = at(ASYNC, delay, this.load);
		return at(variant, delay, this.load).filter((other) -> async.isPresent() && other.perSecond() > 0)
			.map((other) -> async.orElseThrow().perSecond() / other.perSecond())
			.orElse(null);
	}

	/** The reference's ratio of asynchronous to synchronous requests. */
	private static @Nullable Double reference(long delay) {
		return ReferenceTable.rows(GridPage.class, REFERENCE)
			.stream()
			.filter((row) -> Long.parseLong(row[0]) == delay)
			.map((row) -> Double.valueOf(row[1]))
			.findFirst()
			.orElse(null);
	}

	private void throughput(Html html) {
		html.paragraph("Requests answered per second, higher is better; each chart has its own scale.");
		List<Chart> charts = new ArrayList<>();
		for (long delay : delays()) {
			List<Chart.Line> lines = variants().stream()
				.map((variant) -> new Chart.Line(variant, style(variant),
						cells(variant, delay)
							.map((cell) -> Chart.Point.at(cell.concurrency(), cell.perSecond(), marked(cell)))
							.toList()))
				.filter((line) -> !line.points().isEmpty())
				.toList();
			charts.add(new Chart.Lines("Backend takes %s ms".formatted(delay),
					"Answers per second against the requests in flight, a line for each variant.", 300,
					"requests in flight (N)", "answers per second", "", Chart.Line.top(lines), concurrencies(), lines));
		}
		html.charts(charts, rates());
	}

	private Stream<Cell> cells(String variant, long delay) {
		return concurrencies().stream().flatMap((load) -> at(variant, delay, load).stream());
	}

	private record Row(String variant, long delay) {
	}

	private Table rates() {
		List<Row> rows = variants().stream()
			.flatMap((variant) -> delays().stream().map((delay) -> new Row(variant, delay)))
			.toList();
		List<Column<Row>> columns = new ArrayList<>(
				List.of(Column.words("Variant", Row::variant), Column.words("Delay", (row) -> millis(row.delay()))));
		for (int each : concurrencies()) {
			columns.add(Column.figure("N = " + Figures.count(each),
					(row) -> at(row.variant(), row.delay(), each)
						.map((cell) -> Reliability.sign(Figures.measured(cell.perSecond()), marked(cell)))
						.orElse(Figures.NONE)));
		}
		return Table.of("Answers per second", rows, columns);
	}

	private void queue(Html html) {
		List<Cell> cells = variants().stream()
			.flatMap((variant) -> at(variant, QUEUE_DELAY_MILLIS, this.load).stream())
			.toList();
		html.paragraph(
				"Executing: the maximum number of requests in flight that were at the backend together. The others waited in the gateway for a thread. A gateway answers 503 to a request that it does not let wait.");
		if (!cells.isEmpty()) {
			html.chart(
					Chart.Stack.of(
							"%s in flight, backend takes %s ms".formatted(Figures.count(this.load), QUEUE_DELAY_MILLIS),
							"Executing and queued requests, a bar for each variant.", "requests in flight", this.load,
							List.of("executing", "queued"),
							cells.stream()
								.map((cell) -> new Chart.StackRow(cell.variant(), style(cell.variant()), marked(cell),
										List.of((double) cell.executingMost(), (double) cell.queued())))
								.toList()),
					Table.of("Requests", cells, List.of(Column.words("Variant", Cell::variant),
							Column.count("executing, at most", Cell::executingMost),
							Column.count("queued", Cell::queued), Column.count("answered 503", Cell::refused))));
		}
	}

	private void response(Html html) {
		html.element("p",
				"Closed model: a client waits for its answer before it sends again, so stalls are under-represented, and a faster gateway gets more requests. These figures compare the variants; they promise nothing to clients that send at their own rate.",
				"class", "caution");
		List<Chart> charts = new ArrayList<>();
		for (long delay : delays()) {
			List<Chart.SpreadRow> rows = variants().stream()
				.flatMap((variant) -> at(variant, delay, this.load).stream())
				.map(GridPage::dots)
				.filter(Objects::nonNull)
				.toList();
			if (!rows.isEmpty()) {
				charts.add(Chart.Spread.of(
						"Backend takes %s ms, %s in flight".formatted(delay, Figures.count(this.load)),
						"Median, 95th and 99th percentile and maximum in milliseconds on a logarithmic axis, a row for each variant.",
						rows));
			}
		}
		List<Cell> cells = this.result.cells();
		html.open("div", "class", "stacked").charts(charts, table(cells)).close();
		html.note(
				"The table has all cells, in the order they ran. A cell lasts from its first request to its last answer. Load generator, gateway and backend share the machine: where the backend takes no time, rates are those of all three. In %s cells other processes used more than %s of the CPU, or it is not known what they used; they are marked %s."
					.formatted(Figures.count(cells.stream().filter(GridPage::marked).count()),
							Figures.percent(Reliability.FOREIGN_CPU_LIMIT), Reliability.SIGN));
	}

	/** Name of the blocking gateway with a pool as small as the reference's. */
	private String smallPool() {
		return "servlet-platform-" + this.result.smallPool();
	}

	private List<String> variants() {
		return this.result.cells().stream().map(Cell::variant).distinct().toList();
	}

	private List<Long> delays() {
		return this.result.cells().stream().map(Cell::delayMillis).distinct().sorted().toList();
	}

	private List<Integer> concurrencies() {
		return this.result.cells().stream().map(Cell::concurrency).distinct().sorted().toList();
	}

	/**
	 * The reference's highest load, 100, or the nearest measured one below it; 0 if none
	 * was measured.
	 */
	private int comparable() {
		return concurrencies().stream()
			.filter((load) -> load <= 100)
			.max(Integer::compare)
			.orElse(concurrencies().isEmpty() ? 0 : concurrencies().getFirst());
	}

	private Optional<Cell> at(String variant, long delayMillis, int concurrency) {
		return this.result.cells()
			.stream()
			.filter((cell) -> cell.variant().equals(variant) && cell.delayMillis() == delayMillis
					&& cell.concurrency() == concurrency)
			.findFirst();
	}

	private static int style(String variant) {
		int style = STYLES.indexOf(variant);
		return (style < 0) ? SMALL_POOL_STYLE : style;
	}

	private static boolean marked(Cell cell) {
		return Reliability.disturbed(cell.foreignCpuShare());
	}

	private static Chart.@Nullable SpreadRow dots(Cell cell) {
		Timing latency = cell.latency();
		return (latency == null) ? null : new Chart.SpreadRow(cell.variant(), style(cell.variant()), marked(cell),
				latency.p50(), latency.p95(), latency.p99(), latency.max());
	}

	private static Table table(List<Cell> cells) {
		return Table.of("Response time in milliseconds, and what the gateway spent", cells, List.of(
				Column.words("Variant", Cell::variant).marked(GridPage::marked),
				Column.words("Backend's delay", (cell) -> millis(cell.delayMillis())),
				Column.count("N", Cell::concurrency), Column.measured("answers per second", Cell::perSecond),
				Column.measured("min", Cell::latency, Timing::min), Column.measured("p50", Cell::latency, Timing::p50),
				Column.measured("mean", Cell::latency, Timing::mean),
				Column.measured("p95", Cell::latency, Timing::p95), Column.measured("p99", Cell::latency, Timing::p99),
				Column.measured("max", Cell::latency, Timing::max), Column.count("executing", Cell::executingMost),
				Column.count("queued", Cell::queued), Column.count("503", Cell::refused),
				Column.count("other failures", GridPage::otherFailures),
				Column.measured("CPU ms per answer", (cell) -> cell.service().cpuMillisPerRequest()),
				Column.measured("CPU, cores", (cell) -> cell.service().cpuShare()),
				Column.bytes("memory", (cell) -> cell.service().rssBytes()),
				Column.count("threads", (cell) -> cell.service().threads())));
	}

	private static long otherFailures(Cell cell) {
		return cell.failures().values().stream().mapToLong(Long::longValue).sum() - cell.refused();
	}

	private static String millis(long delay) {
		return delay + " ms";
	}

}
