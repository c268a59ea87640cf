package dev.sluice.lab.report;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

import dev.sluice.lab.report.chaos.ChaosSections;
import dev.sluice.lab.report.client.ClientSections;
import dev.sluice.lab.report.compare.CompareSections;
import dev.sluice.lab.report.grid.GridSections;
import dev.sluice.lab.report.knee.KneeSection;
import dev.sluice.lab.report.page.Figures;
import dev.sluice.lab.report.page.Html;
import dev.sluice.lab.report.page.Marks;
import dev.sluice.lab.report.page.Section;
import dev.sluice.lab.report.pool.PoolSection;
import dev.sluice.lab.report.proof.ProofSections;
import dev.sluice.lab.report.sink.SinkSections;
import dev.sluice.lab.result.CellResult;
import dev.sluice.lab.result.ClientResult;
import dev.sluice.lab.result.GridResult;
import dev.sluice.lab.result.KneeResult;
import dev.sluice.lab.result.PoolResult;
import dev.sluice.lab.result.RunResult;
import dev.sluice.lab.result.SinkResult;

/**
 * One HTML file that needs nothing else: charts, their data, the charting library. It
 * loads nothing from anywhere and forbids the browser to. Tables are there without
 * JavaScript.
 */
public final class Report {

	private static final String ECHARTS_VERSION = "/META-INF/maven/org.webjars/echarts/pom.properties";

	private static final String ECHARTS = "/META-INF/resources/webjars/echarts/%s/echarts.min.js";

	private Report() {
	}

	/**
	 * Writes the report of some runs, a chapter each.
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
		Html html = new Html();
		html.empty("!DOCTYPE html").open("html", "lang", "en").open("head");
		html.empty("meta", "charset", "utf-8");
		html.empty("meta", "name", "viewport", "content", "width=device-width, initial-scale=1");
		html.empty("meta", "http-equiv", "Content-Security-Policy", "content",
				"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:");
		html.empty("meta", "name", "color-scheme", "content", "light dark");
		html.element("title", "Sluice: " + String.join(", ", runs.stream().map(Report::name).distinct().toList()));
		html.code("style", resource("report.css")).close().open("body");
		html.element("a", "Skip to the results", "href", "#run-1", "class", "skip");
		html.open("noscript")
			.element("p", "Charts need JavaScript. The tables hold all their figures and are here without it.", "class",
					"caution")
			.close();
		for (int i = 0; i < runs.size(); i++) {
			chapter(html, runs.get(i), "run-" + (i + 1));
		}
		html.code("script", echarts()).code("script", resource("report.js"));
		return html.close().close().toString();
	}

	private static List<Section> sections(RunResult run) {
		return switch (run.experiment()) {
			case "compare" ->
				Stream.concat(CompareSections.all().stream(), Stream.of(new CellsSection(), new MethodSection()))
					.toList();
			case "chaos" -> Stream.concat(ChaosSections.all().stream(), Stream.of(new MethodSection())).toList();
			case "client", "grid", "knee", "pool", "sink" -> withMethod(finding(run));
			case "prove" -> Stream.concat(ProofSections.of(run).stream(), Stream.of(new MethodSection())).toList();
			default -> List.of(new CellsSection(), new MethodSection());
		};
	}

	private static List<Section> withMethod(List<Section> sections) {
		return Stream.concat(sections.stream(), Stream.of(new MethodSection())).toList();
	}

	private static List<Section> finding(RunResult run) {
		return switch (run.finding()) {
			case null -> List.of();
			case ClientResult client -> ClientSections.of(client);
			case GridResult grid -> GridSections.of(grid);
			case KneeResult knee -> List.of(new KneeSection(knee));
			case PoolResult pool -> List.of(new PoolSection(pool));
			case SinkResult sink -> SinkSections.of(sink);
		};
	}

	private static void chapter(Html html, RunResult run, String id) {
		List<Section> sections = sections(run);
		html.open("main", "id", id);
		html.open("header").element("h1", "lab " + run.experiment());
		html.element("p",
				"%s · %s, %d cores, %s · commit %s".formatted(Figures.time(run.startedAt()), run.environment().cpu(),
						run.environment().cores(), Figures.bytes(run.environment().memoryBytes()), commit(run)),
				"class", "facts");
		for (String warning : warnings(run)) {
			html.element("p", warning, "class", "caution");
		}
		html.close();
		html.open("nav", "aria-label", "Sections").open("ul");
		for (Section section : sections) {
			html.open("li").element("a", section.title(), "href", "#" + id + "-" + section.id()).close();
		}
		html.close().close();
		for (Section section : sections) {
			String anchor = id + "-" + section.id();
			html.open("section", "id", anchor, "aria-labelledby", anchor + "-title");
			html.element("h2", section.title(), "id", anchor + "-title");
			section.write(run, html);
			html.close();
		}
		html.close();
	}

	private static List<String> warnings(RunResult run) {
		List<String> warnings = new ArrayList<>();
		if (run.partial() != null) {
			warnings.add("Partial: %s. What follows is what was measured until then.".formatted(run.partial()));
		}
		long marked = run.cells().stream().filter(Marks::marked).count();
		if (marked > 0) {
			warnings.add("%d of %d cells are to be taken with care; their figures carry a %s. The reasons: %s."
				.formatted(marked, run.cells().size(), Marks.SIGN, String.join("; ", reasons(run))));
		}
		return warnings;
	}

	/** Each problem once, and other processes' CPU as one range. */
	private static List<String> reasons(RunResult run) {
		List<String> reasons = new ArrayList<>();
		double foreign = run.cells().stream().mapToDouble(CellResult::foreignCpuShare).max().orElse(0);
		long disturbed = run.cells().stream().filter((c) -> c.foreignCpuShare() > Marks.FOREIGN_CPU_LIMIT).count();
		if (disturbed > 0) {
			reasons.add("other processes used more than %s of the machine's CPU in %d (up to %s)"
				.formatted(Figures.percent(Marks.FOREIGN_CPU_LIMIT), disturbed, Figures.percent(foreign)));
		}
		long problems = run.cells().stream().filter((c) -> c.problem() != null).count();
		if (problems > 0) {
			reasons.add("%d could not be measured as planned (the table of all cells says why)".formatted(problems));
		}
		return reasons;
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

	private static String echarts() {
		try (InputStream properties = open(ECHARTS_VERSION)) {
			Properties pom = new Properties();
			pom.load(properties);
			return resource(ECHARTS.formatted(pom.getProperty("version")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String resource(String name) {
		try (InputStream in = open(name)) {
			return new String(in.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static InputStream open(String name) {
		InputStream in = Report.class.getResourceAsStream(name);
		if (in == null) {
			throw new IllegalStateException(name + " is missing from the class path: build load-tests again");
		}
		return in;
	}

}
