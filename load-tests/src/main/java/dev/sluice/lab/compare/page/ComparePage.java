package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult.Judgement;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What the experiments show that measure cells: {@code lab compare}, with or without
 * {@code --causes}, and {@code lab grid}.
 */
public final class ComparePage {

	/** A ceiling is drawn up to this multiple of the fastest rate. */
	private static final double HEADROOM = 1.1;

	private final RunResult run;

	private final CompareResult compare;

	private final Load.Kind kind;

	private final List<CellGroup> groups;

	/** Why nothing is concluded. */
	private final Optional<String> refusal;

	private ComparePage(RunResult run, CompareResult compare) {
		this.run = run;
		this.compare = compare;
		this.groups = CellGroup.of(run);
		this.kind = this.groups.isEmpty() ? Load.Kind.IN_FLIGHT : this.groups.getFirst().load().kind();
		this.refusal = ComparePage.refusal(run);
	}

	/**
	 * The sections of a report, in the order of the page, without those that lack data.
	 */
	public static List<Section> sections(RunResult run, CompareResult compare) {
		return new ComparePage(run, compare).sections();
	}

	private List<Section> sections() {
		Section cells = new Section("cells", "All cells", (html) -> CellTables.all(this.run, html));
		if (this.run.experiment().equals(Collapse.NAME)) {
			return List.of(Collapse.section(this.run), cells);
		}
		List<Section> sections = new ArrayList<>(isGrid() ? GridPage.sections(this.run) : answered());
		sections.add(new Section("throughput", "Throughput against load", this::throughput));
		sections.add(new Section("wait", "What a client waits for", (html) -> Waits.write(this.run, html)));
		sections.add(new Section("cost", "What an order costs", (html) -> Cost.write(this.run, html)));
		if (CellTables.hasUtilisations(this.run)) {
			sections.add(new Section("bottleneck", "Bottlenecks", CellTables.bottlenecks(this.run),
					(html) -> CellTables.bottlenecks(this.run, html)));
		}
		List<Difference> differences = Difference.of(this.run);
		if (this.refusal.isEmpty() && !differences.isEmpty()) {
			sections.add(new Section("differences", "Which differences can be believed?",
					(html) -> Difference.write(differences, html)));
		}
		sections.add(cells);
		return sections;
	}

	private boolean isGrid() {
		return this.run.experiment().equals(GridPage.NAME);
	}

	/** The answer to the question of a comparison or a scenario. */
	private List<Section> answered() {
		List<Section> sections = new ArrayList<>();
		this.refusal
			.ifPresent((why) -> sections.add(new Section("summary", "Nothing is concluded", List.of(why), (_) -> {
			})));
		if (this.compare.scenario() != null) {
			ScenarioResult scenario = this.compare.scenario();
			sections.add(new Section("scenario", "Scenario " + scenario.name(),
					List.of(scenario.question(), limits(scenario)), List.of(judgements(scenario)), (_) -> {
					}));
		}
		else if (this.kind == Load.Kind.OFFERED) {
			sections.add(new Section("rates", "Which rate does each mode keep up with?",
					this.refusal.isPresent() ? List.of() : Waits.answers(this.run),
					(html) -> Waits.writeRates(this.run, html)));
		}
		else if (this.refusal.isEmpty()) {
			sections.add(new Section("summary", "Which mode for which load?", modes(), this::summary));
		}
		return sections;
	}

	/**
	 * For the terminal: the answer, then tables for each capacity of the backend, with
	 * medians of the repetitions, marked if one of them is.
	 */
	public static String text(RunResult run) {
		return (run.finding() instanceof CompareResult compare) ? new ComparePage(run, compare).text() : "";
	}

	private String text() {
		StringBuilder text = new StringBuilder();
		sections().forEach((section) -> text.append(section.text()));
		if (this.run.experiment().equals(Collapse.NAME)) {
			return text.toString();
		}
		if (this.refusal.isEmpty() && this.compare.scenario() == null && !isGrid() && this.kind != Load.Kind.OFFERED) {
			text.append(Section.text(ModeOverview.lines(ModeByLoad.of(this.run))));
		}
		text.append(System.lineSeparator());
		for (String capacity : CellGroup.by(CellGroup::capacity, this.groups).keySet()) {
			List<Table> tables = new ArrayList<>(List.of(
					byLoad("orders saved per second", capacity, medians(CellResult::savedPerSecond)),
					byLoad("median wait from the first try until accepted, ms", capacity,
							medians(CellResult::acceptedP50)),
					byLoad("median wait from the first try until saved, ms", capacity, medians(CellResult::savedP50))));
			if (this.run.cells().stream().anyMatch((cell) -> cell.failedCalls() > 0)) {
				tables.add(byLoad("failed calls, retried", capacity, medians((cell) -> (double) cell.failedCalls())));
			}
			tables.forEach((table) -> text.append(table.text()));
		}
		long marked = this.run.cells().stream().filter(Reliability::marked).count();
		if (marked > 0) {
			text.append("%s %s of %s cells are unreliable; the report says why.%n".formatted(Reliability.SIGN, marked,
					this.run.cells().size()));
		}
		return text.toString();
	}

	/** A cell that has just been measured, in a line. */
	public static String line(CellResult cell) {
		return "%s: %s saved per second, median %s ms until answered, %s until saved, %s failed".formatted(cell.cell(),
				Figures.measured(cell.savedPerSecond()), Figures.measured(cell.acceptedP50()),
				Figures.measured(cell.savedP50()), Figures.counted(cell.failedCalls(), "call"));
	}

	private List<String> modes() {
		List<ModeByLoad> loads = ModeByLoad.of(this.run);
		return loads.isEmpty() ? List.of("No load was measured in both modes.") : ModeOverview.answers(loads);
	}

	private void summary(Html html) {
		List<ModeByLoad> loads = ModeByLoad.of(this.run);
		if (!loads.isEmpty()) {
			ModeOverview.write(loads, html);
			html.open("details").element("summary", "How this is decided").note(ModeOverview.rule()).close();
		}
	}

	/** A line for each gateway and mode, a column for each load. */
	private Table byLoad(String caption, String capacity, Function<CellGroup, String> figure) {
		List<Column<Series>> columns = new ArrayList<>(
				List.of(Column.words("Variant", Series::variant), Column.words("Mode", Series::mode)));
		for (int load : CellGroup.sizes(this.groups)) {
			columns.add(Column.figure(Figures.count(load),
					(series) -> CellGroup.at(this.groups, series, load).map(figure).orElse(Figures.NONE)));
		}
		List<Series> rows = CellGroup.by(CellGroup::series, this.groups)
			.keySet()
			.stream()
			.filter((series) -> series.capacity().equals(capacity))
			.toList();
		return Table.of("%s: %s; by %s".formatted(CellGroup.backend(capacity), caption, this.kind.words()), rows,
				columns);
	}

	private static Function<CellGroup, String> medians(Function<CellResult, @Nullable Double> figure) {
		return (group) -> Reliability.sign(Figures.measured(group.median(figure)), group.marked());
	}

	private void throughput(Html html) {
		if (this.groups.isEmpty()) {
			html.paragraph("No cell was measured.");
			return;
		}
		html.paragraph(
				"From the first call until the last order was saved, higher is better. Both axes of a row are the same. The dashed line is the ceiling: what the load, the consumer's limit and the backend let through, whatever the gateway does.");
		CellGroup.by(CellGroup::capacity, this.groups)
			.forEach((capacity, own) -> html.charts(throughput(capacity, own),
					byLoad("orders saved per second, median (slowest–fastest)", capacity, ComparePage::spread)));
		html.note("%s %s".formatted(failed(), saved()));
	}

	private static String spread(CellGroup group) {
		return group.point(CellResult::savedPerSecond)
			.map((point) -> Figures.measured(point.y()) + ((group.cells().size() > 1)
					? " (%s–%s)".formatted(Figures.measured(point.low()), Figures.measured(point.high())) : ""))
			.map((spread) -> Reliability.sign(spread, group.marked()))
			.orElse(Figures.NONE);
	}

	private List<Chart> throughput(String capacity, List<CellGroup> backend) {
		double top = Chart.top(backend.stream()
			.flatMap((group) -> group.point(CellResult::savedPerSecond).stream())
			.map(Chart.Point::high));
		List<Chart> charts = new ArrayList<>();
		CellGroup.by(CellGroup::mode, backend).forEach((mode, own) -> {
			List<Chart.Line> lines = new ArrayList<>(lines(own, Series::variant, CellResult::savedPerSecond));
			List<Chart.Point> ceiling = ceiling(capacity, mode, top * HEADROOM);
			if (!ceiling.isEmpty()) {
				lines.add(new Chart.Line("ceiling", -1, true, ceiling));
			}
			charts.add(new Chart.Lines("%s, %s".formatted(CellGroup.backend(capacity), mode),
					"Orders saved per second against the load, %s, %s, a line for each of %s.".formatted(
							CellGroup.backend(capacity), mode,
							String.join(", ", lines.stream().map(Chart.Line::name).toList())),
					320, this.kind.words(), "saved per second", "slowest to fastest repetition", top,
					CellGroup.sizes(this.groups), lines));
		});
		return charts;
	}

	/**
	 * The part of the ceiling within the chart; one point alone would look like a limit.
	 */
	private List<Chart.Point> ceiling(String capacity, String mode, double top) {
		List<Chart.Point> points = new ArrayList<>();
		for (int load : CellGroup.sizes(this.groups)) {
			OptionalDouble ceiling = (this.compare.setup() != null)
					? this.compare.setup().ceiling(capacity, mode, new Load(this.kind, load)) : OptionalDouble.empty();
			ceiling.ifPresent((rate) -> points.add(Chart.Point.at(load, rate, false)));
		}
		points.removeIf((point) -> point.y() > top);
		return (points.size() > 1) ? points : List.of();
	}

	/**
	 * A line for each series that has the figure; those of the sync mode are dashed where
	 * there are both.
	 */
	static List<Chart.Line> lines(List<CellGroup> groups, Function<Series, String> name,
			Function<CellResult, @Nullable Double> figure) {
		boolean both = groups.stream().anyMatch((group) -> group.mode().equals(CellGroup.QUEUED));
		return CellGroup.by(CellGroup::series, groups)
			.entrySet()
			.stream()
			.map((series) -> new Chart.Line(name.apply(series.getKey()), CellGroup.style(series.getKey().variant()),
					both && series.getKey().mode().equals(CellGroup.SYNC),
					series.getValue().stream().flatMap((group) -> group.point(figure).stream()).toList()))
			.filter((line) -> !line.points().isEmpty())
			.toList();
	}

	private String failed() {
		return Stream.of(CellGroup.SYNC, CellGroup.QUEUED).map((mode) -> {
			List<CellResult> cells = this.run.cells().stream().filter((c) -> c.cell().mode().equals(mode)).toList();
			return "%s of %s %s calls".formatted(Figures.percent(new CellGroup(cells).failedShare()),
					Figures.count(cells.stream().mapToLong(CellResult::calls).sum()), mode);
		}).collect(Collectors.joining(", ", "Failed calls, which the client retried: ", "."));
	}

	private String saved() {
		long accepted = this.run.cells().stream().mapToLong(CellResult::accepted).sum();
		long missing = this.run.cells().stream().mapToLong((c) -> Math.max(0, c.accepted() - c.saved())).sum();
		return (missing == 0)
				? "Every one of the %s orders that were accepted was saved.".formatted(Figures.count(accepted))
				: "%s of %s orders that were accepted had not been saved when their cell ended: lost, or still on the way."
					.formatted(Figures.count(missing), Figures.count(accepted));
	}

	private static String limits(ScenarioResult scenario) {
		return scenario.limits().isEmpty() ? "It has no limits to keep."
				: "Limits: %s. Kept in %s of %s cells.".formatted(String.join(", ", scenario.limits()),
						Figures.count(scenario.judgements().stream().filter(Judgement::kept).count()),
						Figures.count(scenario.judgements().size()));
	}

	private static Table judgements(ScenarioResult scenario) {
		return Table.of("Each cell that others did not disturb against the limits", scenario.judgements(),
				List.of(Column.words("Variant", (each) -> each.cell().variant()),
						Column.words("Mode", (each) -> each.cell().mode()),
						Column.words("Missed", (each) -> each.kept() ? "nothing" : String.join("; ", each.missed())),
						Column.words("load", (each) -> each.cell().load().toString()),
						Column.count("repetition", (each) -> each.cell().repetition())));
	}

	/**
	 * Why nothing is concluded from a run, in a sentence: by design, because most of its
	 * cells are unreliable, or because one of its checks fails. Empty if something is.
	 */
	public static Optional<String> refusal(RunResult run) {
		List<CellResult> cells = run.cells();
		if (cells.isEmpty()) {
			return Optional.empty();
		}
		if (run.finding() instanceof CompareResult compare && "smallest".equals(compare.length())) {
			return Optional.of("Everything works. This was the smallest run, which concludes nothing about the modes.");
		}
		long unreliable = cells.stream().filter(Reliability::unusable).count();
		// First, because a busy machine makes checks fail, too.
		if (unreliable * 2 <= cells.size()) {
			return run.checks()
				.stream()
				.filter((check) -> !check.holds())
				.findFirst()
				.map((check) -> "Nothing is concluded: a check of this run failed (%s: %s).".formatted(check.what(),
						check.detail()));
		}
		double[] foreign = cells.stream()
			.mapToDouble((cell) -> (cell.foreignCpuShare() != null) ? cell.foreignCpuShare() : 0)
			.filter((share) -> share > Reliability.FOREIGN_CPU_LIMIT)
			.sorted()
			.toArray();
		return Optional.of("Nothing is concluded: %s of %s cells are unreliable%s.%s".formatted(unreliable,
				cells.size(),
				(foreign.length > 0) ? ", %s of them because other processes used up to %s of the machine's CPU"
					.formatted(foreign.length, Figures.percent(foreign[foreign.length - 1])) : "; the report says why",
				(foreign.length > 0) ? " Measure again while nothing else runs." : ""));
	}

}
