package dev.sluice.lab.compare.page;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.lab.compare.page.CellGroup.Series;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.page.Chart;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult;
import dev.sluice.lab.kit.result.CompareResult.ScenarioResult.Judgement;
import dev.sluice.lab.kit.result.CompareResult.Setup;
import dev.sluice.lab.kit.result.RunResult;
import org.jspecify.annotations.Nullable;

/**
 * What the experiments show that measure cells: {@code lab compare}, with or without
 * {@code --causes}, and {@code lab grid}.
 */
public final class ComparePage {

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
		this.kind = this.groups.getFirst().load().kind();
		this.refusal = ComparePage.refusal(run);
	}

	/**
	 * The sections of a report, in the order of the page, without those that lack data.
	 */
	public static List<Section> sections(RunResult run, CompareResult compare) {
		return run.cells().isEmpty() ? List.of(CellTables.all(run)) : new ComparePage(run, compare).sections();
	}

	private List<Section> sections() {
		Section cells = CellTables.all(this.run);
		if (this.run.experiment().equals(Collapse.NAME)) {
			return List.of(Collapse.section(this.run), cells);
		}
		List<Section> sections = new ArrayList<>(isGrid() ? GridPage.sections(this.run) : answered());
		sections.addAll(List.of(throughput(), Waits.section(this.run), Cost.section(this.run)));
		if (CellTables.hasUtilisations(this.run)) {
			sections.add(CellTables.bottleneck(this.run));
		}
		List<Difference> differences = Difference.of(this.run);
		if (this.refusal.isEmpty() && !differences.isEmpty()) {
			sections.add(Difference.section(differences));
		}
		sections.add(inTerminal(cells));
		return sections;
	}

	private boolean isGrid() {
		return this.run.experiment().equals(GridPage.NAME);
	}

	/** The answer to the question of a comparison or a scenario. */
	private List<Section> answered() {
		List<Section> sections = new ArrayList<>();
		this.refusal
			.ifPresent((why) -> sections.add(new Section("summary", "Nothing is concluded").answers(List.of(why))));
		if (this.compare.scenario() != null) {
			ScenarioResult scenario = this.compare.scenario();
			sections.add(new Section("scenario", "Scenario " + scenario.name())
				.answers(List.of(scenario.question(), limits(scenario)))
				.shown(judgements(scenario)));
		}
		else if (this.kind == Load.Kind.OFFERED) {
			sections.add(Waits.rates(this.run));
		}
		else if (this.refusal.isEmpty()) {
			sections.add(ModeOverview.section(this.run));
		}
		return sections;
	}

	/**
	 * Adds tables for each capacity of the backend, with medians of the repetitions,
	 * marked if one of them is.
	 */
	private Section inTerminal(Section section) {
		section.terminal(List.of(""));
		for (String capacity : CellGroup.by(CellGroup::capacity, this.groups).keySet()) {
			section.terminal(byLoad("orders saved per second", capacity, medians(CellResult::savedPerSecond)))
				.terminal(byLoad("median wait from the first try until accepted, ms", capacity,
						medians(CellResult::acceptedP50)))
				.terminal(byLoad("median wait from the first try until saved, ms", capacity,
						medians(CellResult::savedP50)));
			if (this.run.cells().stream().anyMatch((cell) -> cell.failedCalls() > 0)) {
				section.terminal(
						byLoad("failed calls, retried", capacity, medians((cell) -> (double) cell.failedCalls())));
			}
		}
		long marked = this.run.cells().stream().filter(Reliability::marked).count();
		return (marked == 0) ? section
				: section.terminal(List.of("%s %s of %s cells are unreliable; the report says why."
					.formatted(Reliability.SIGN, marked, this.run.cells().size())));
	}

	/** A cell that has just been measured, in a line. */
	public static String line(CellResult cell) {
		return "%s: %s saved per second, median %s ms until answered, %s until saved, %s failed".formatted(cell.cell(),
				Figures.measured(cell.savedPerSecond()), Figures.measured(cell.acceptedP50()),
				Figures.measured(cell.savedP50()), Figures.counted(cell.failedCalls(), "call"));
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

	private Section throughput() {
		Section section = new Section("throughput", "Throughput against load");
		section.paragraph(
				"From the first call until the last order was saved, higher is better. Both axes of a row are the same. The dashed line is the ceiling: what the load, the consumer's limit and the backend let through, whatever the gateway does.");
		CellGroup.by(CellGroup::capacity, this.groups)
			.forEach((capacity, own) -> section.charts(
					CellGroup.by(CellGroup::mode, own)
						.entrySet()
						.stream()
						.map((mode) -> throughput(capacity, mode.getKey(), mode.getValue()))
						.toList(),
					byLoad("orders saved per second, median (slowest–fastest)", capacity, ComparePage::spread)));
		section.note("%s %s".formatted(failed(), saved()));
		return section;
	}

	private static String spread(CellGroup group) {
		return group.point(CellResult::savedPerSecond)
			.map((point) -> Figures.measured(point.y()) + ((group.cells().size() > 1)
					? " (%s–%s)".formatted(Figures.measured(point.low()), Figures.measured(point.high())) : ""))
			.map((spread) -> Reliability.sign(spread, group.marked()))
			.orElse(Figures.NONE);
	}

	private Chart throughput(String capacity, String mode, List<CellGroup> groups) {
		List<Chart.Line> lines = new ArrayList<>(lines(groups, Series::variant, CellResult::savedPerSecond));
		List<Chart.Point> ceiling = ceiling(capacity, mode);
		if (!ceiling.isEmpty()) {
			lines.add(new Chart.Line("ceiling", -1, true, ceiling));
		}
		return new Chart.Lines("%s, %s".formatted(CellGroup.backend(capacity), mode), this.kind.words(),
				"saved per second", "slowest to fastest repetition", false, "rate " + capacity,
				CellGroup.sizes(this.groups), lines);
	}

	private List<Chart.Point> ceiling(String capacity, String mode) {
		Setup setup = this.compare.setup();
		return (setup == null) ? List.of()
				: CellGroup.sizes(this.groups)
					.stream()
					.flatMap((load) -> setup.ceiling(capacity, mode, new Load(this.kind, load))
						.stream()
						.mapToObj((rate) -> Chart.Point.at(load, rate, false)))
					.toList();
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
