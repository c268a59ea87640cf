package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.DoubleSummaryStatistics;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

import dev.sluice.lab.causes.CausesSection;
import dev.sluice.lab.chaos.ChaosSections;
import dev.sluice.lab.client.ClientSections;
import dev.sluice.lab.compare.page.CompareSections;
import dev.sluice.lab.drain.DrainSection;
import dev.sluice.lab.grid.GridSections;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Page;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.result.CausesResult;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.DrainResult;
import dev.sluice.lab.kit.result.GridResult;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.knee.KneeSection;
import dev.sluice.lab.pool.PoolSection;
import dev.sluice.lab.scenario.ScenarioSection;
import dev.sluice.lab.sink.SinkSections;
import org.jspecify.annotations.Nullable;

/**
 * A self-contained HTML file with charts, their data and the charting library. It loads
 * nothing else, and its content security policy forbids it. Tables work without
 * JavaScript.
 */
public final class Report {

	private static final String SCRIPT = "/dev/sluice/lab/report/report.js";

	private Report() {
	}

	/**
	 * Writes a report with a chapter for each run.
	 * @param runs at least one
	 * @param html the file, replaced if it is there
	 * @throws IOException if it cannot be written
	 */
	public static void write(List<RunResult> runs, Path html) throws IOException {
		Path directory = html.toAbsolutePath().getParent();
		if (directory != null) {
			Files.createDirectories(directory);
		}
		Files.writeString(html, page(runs));
	}

	static String page(List<RunResult> runs) {
		if (runs.isEmpty()) {
			throw new IllegalArgumentException("No runs to report");
		}
		Html html = Page.begin("Sluice: " + String.join(", ", runs.stream().map(Report::name).distinct().toList()), "",
				"");
		html.element("a", "Skip to the results", "href", "#results", "class", "skip");
		html.open("noscript")
			.element("p", "Charts need JavaScript. The tables hold all their figures and are here without it.", "class",
					"caution")
			.close();
		html.open("main", "id", "results");
		List<Chapter> chapters = new ArrayList<>();
		for (RunResult run : runs) {
			chapters.add(new Chapter(chapters.size() + 1, run, sections(run)));
		}
		if (chapters.size() > 1) {
			new Overview(chapters).write(html);
		}
		chapters.forEach((chapter) -> chapter(html, chapter, chapters.size() > 1));
		html.close();
		html.code("script", Page.echarts()).code("script", Page.resource(SCRIPT));
		return html.close().close().toString();
	}

	private static List<Section> sections(RunResult run) {
		Stream<Section> own = switch (run.finding()) {
			case null -> Stream.of();
			case CausesResult causes -> Stream.of(new CausesSection(causes));
			case ChaosResult chaos -> ChaosSections.of(chaos).stream();
			case ClientResult client -> ClientSections.of(client).stream();
			case CompareResult compare -> compare(run, compare);
			case DrainResult drain -> Stream.of(new DrainSection(drain));
			case GridResult grid -> GridSections.of(grid).stream();
			case KneeResult knee -> Stream.of(new KneeSection(knee), KneeSection.LIMITS);
			case PoolResult pool -> Stream.of(new PoolSection(pool), PoolSection.limits(pool));
			case SinkResult sink -> SinkSections.of(sink).stream();
		};
		return Stream.concat(own, Stream.of(new MethodSection(run))).toList();
	}

	private static Stream<Section> compare(RunResult run, CompareResult compare) {
		Stream<Section> scenario = (compare.scenario() != null) ? Stream.of(new ScenarioSection(compare.scenario()))
				: Stream.of();
		return Stream.of(scenario, CompareSections.of(run).stream(), Stream.of(new CellsSection()))
			.flatMap((sections) -> sections);
	}

	private static void chapter(Html html, Chapter chapter, boolean several) {
		RunResult run = chapter.run();
		String id = chapter.id();
		html.open("article", "id", id, "aria-labelledby", id + "-title");
		html.open("header").element("h1", chapter.name(), "id", id + "-title");
		html.element("p",
				"%s · %s, %d cores, %s · commit %s".formatted(Figures.time(run.startedAt()), run.environment().cpu(),
						run.environment().cores(), Figures.bytes(run.environment().memoryBytes()), commit(run)),
				"class", "facts");
		doubts(run, html);
		html.close();
		List<Section> sections = chapter.sections();
		section(html, id, sections.getFirst(), run);
		html.open("nav", "aria-label", "Sections of run %d, %s".formatted(chapter.number(), chapter.name())).open("ul");
		if (several) {
			html.open("li").element("a", "Contents", "href", "#overview").close();
		}
		for (Section section : sections) {
			html.open("li").element("a", section.title(), "href", "#" + id + "-" + section.id()).close();
		}
		html.close().close();
		sections.stream().skip(1).forEach((section) -> section(html, id, section, run));
		html.close();
	}

	private static void section(Html html, String chapter, Section section, RunResult run) {
		html.open("section", "id", chapter + "-" + section.id()).element("h2", section.title());
		section.write(run, html);
		html.close();
	}

	/**
	 * Writes the number of doubts in a line above the answer, which unfolds to list them.
	 */
	private static void doubts(RunResult run, Html html) {
		List<String> warnings = warnings(run);
		if (warnings.isEmpty()) {
			return;
		}
		List<String> brief = new ArrayList<>();
		if (run.partial() != null) {
			brief.add("this run is partial");
		}
		long failed = run.checks().stream().filter((check) -> !check.holds()).count();
		if (failed > 0) {
			brief.add((failed == 1) ? "a check of this run fails" : "%d checks of this run fail".formatted(failed));
		}
		long marked = marked(run);
		if (marked > 0) {
			brief.add("%d of %d cells are unreliable (%s)".formatted(marked, run.cells().size(), Reliability.SIGN));
		}
		if (brief.isEmpty()) {
			brief.add("some figures are unreliable (%s)".formatted(Reliability.SIGN));
		}
		html.open("details", "class", "caution").element("summary", "Read with care: " + String.join("; ", brief));
		html.list(warnings).close();
	}

	private static long marked(RunResult run) {
		return run.cells().stream().filter(Reliability::marked).count();
	}

	private static List<String> warnings(RunResult run) {
		List<String> warnings = new ArrayList<>();
		if (run.partial() != null) {
			warnings.add("Partial: %s. What follows is what was measured until then.".formatted(run.partial()));
		}
		run.checks()
			.stream()
			.filter((check) -> !check.holds())
			.map((check) -> "This run fails a check, so its figures are unreliable. %s: %s.".formatted(check.what(),
					check.detail()))
			.forEach(warnings::add);
		long marked = marked(run);
		if (marked > 0) {
			warnings.add("%d of %d cells are unreliable (marked %s): %s.".formatted(marked, run.cells().size(),
					Reliability.SIGN, String.join("; ", reasons(run))));
		}
		warnings.addAll(disturbed(run));
		return warnings;
	}

	/** Lists each problem once, and other processes' CPU as one range. */
	private static List<String> reasons(RunResult run) {
		List<String> reasons = new ArrayList<>();
		List<@Nullable Double> shares = run.cells()
			.stream()
			.<@Nullable Double>map(CellResult::foreignCpuShare)
			.toList();
		DoubleSummaryStatistics disturbed = disturbed(shares);
		if (disturbed.getCount() > 0) {
			reasons.add("other processes used more than %s of the machine's CPU in %d (up to %s)".formatted(
					Figures.percent(Reliability.FOREIGN_CPU_LIMIT), disturbed.getCount(),
					Figures.percent(disturbed.getMax())));
		}
		long unknown = unknown(shares);
		if (unknown > 0) {
			reasons.add("what other processes used of the machine's CPU is not known in %d".formatted(unknown));
		}
		long cold = run.cells().stream().filter(Reliability::cold).count();
		if (cold > 0) {
			reasons.add("the compilers of the JVMs, which were not warm, used more than %s of the CPU in %d"
				.formatted(Figures.percent(Reliability.COMPILING_LIMIT), cold));
		}
		long lagged = run.cells().stream().filter(Reliability::lagged).count();
		if (lagged > 0) {
			reasons
				.add("the load generator began late in %d (the table of all cells says by how much)".formatted(lagged));
		}
		long problems = run.cells().stream().filter((c) -> c.problem() != null).count();
		if (problems > 0) {
			reasons.add("%d could not be measured as planned (the table of all cells says why)".formatted(problems));
		}
		return reasons;
	}

	/**
	 * Disturbances of a run without cells with orders, as such cells have their own
	 * marks.
	 */
	private static List<String> disturbed(RunResult run) {
		List<@Nullable Double> shares = (run.finding() != null) ? run.finding().foreignCpuShares()
				: List.<@Nullable Double>of();
		List<String> warnings = new ArrayList<>();
		DoubleSummaryStatistics disturbed = disturbed(shares);
		if (disturbed.getCount() > 0) {
			warnings.add(
					"Other processes used more than %s of the machine's CPU in %d of %d measurements (up to %s); their figures carry a %s."
						.formatted(Figures.percent(Reliability.FOREIGN_CPU_LIMIT), disturbed.getCount(), shares.size(),
								Figures.percent(disturbed.getMax()), Reliability.SIGN));
		}
		long unknown = unknown(shares);
		if (unknown > 0) {
			warnings.add(
					"What other processes used of the machine's CPU is not known in %d of %d measurements; their figures carry a %s."
						.formatted(unknown, shares.size(), Reliability.SIGN));
		}
		return warnings;
	}

	private static DoubleSummaryStatistics disturbed(List<@Nullable Double> shares) {
		return shares.stream()
			.filter(Objects::nonNull)
			.mapToDouble(Double::doubleValue)
			.filter((share) -> share > Reliability.FOREIGN_CPU_LIMIT)
			.summaryStatistics();
	}

	private static long unknown(List<@Nullable Double> shares) {
		return shares.stream().filter(Objects::isNull).count();
	}

	private static String name(RunResult run) {
		return "lab " + run.experiment();
	}

	static String commit(RunResult run) {
		String sha = run.environment().gitSha();
		return sha.substring(0, Math.min(12, sha.length()))
				+ (run.environment().gitDirty() ? " with local changes" : "");
	}

	static String took(RunResult run) {
		return Figures.duration(Duration.between(run.startedAt(), run.finishedAt()));
	}

}
