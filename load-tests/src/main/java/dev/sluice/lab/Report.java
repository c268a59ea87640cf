package dev.sluice.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import dev.sluice.lab.chaos.ChaosPage;
import dev.sluice.lab.client.ClientPage;
import dev.sluice.lab.compare.page.ComparePage;
import dev.sluice.lab.drain.DrainExperiment;
import dev.sluice.lab.kit.page.Column;
import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.page.Html;
import dev.sluice.lab.kit.page.Reliability;
import dev.sluice.lab.kit.page.Section;
import dev.sluice.lab.kit.page.Table;
import dev.sluice.lab.kit.result.ChaosResult;
import dev.sluice.lab.kit.result.ClientResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.DrainResult;
import dev.sluice.lab.kit.result.KneeResult;
import dev.sluice.lab.kit.result.PoolResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.result.SinkResult;
import dev.sluice.lab.kit.result.SurgeResult;
import dev.sluice.lab.kit.run.Experiment.ReportWriter;
import dev.sluice.lab.kit.run.LabCommand;
import dev.sluice.lab.kit.stack.LabException;
import dev.sluice.lab.knee.KneePage;
import dev.sluice.lab.pool.PoolExperiment;
import dev.sluice.lab.sink.SinkPage;
import dev.sluice.lab.surge.SurgeExperiment;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/**
 * {@code lab report}: rebuilds the page of a run from {@code run.json}. The page is a
 * self-contained HTML file with charts, their data and the charting library. It loads
 * nothing else, and its content security policy forbids it. Tables work without
 * JavaScript.
 */
@Command(name = "report", description = "Builds the HTML report of a run again from run.json.")
public final class Report extends LabCommand {

	private static final String BODY = "/dev/sluice/lab/report/report.html";

	private static final String SCRIPT = "/dev/sluice/lab/report/report.js";

	/** A result up to two levels below an archive's root. */
	private static final Pattern RUN = Pattern.compile("([^/]+/){0,2}" + Pattern.quote(RunFile.NAME));

	@Parameters(paramLabel = "DIR", description = "Directory of a run, or a ZIP archive of it.")
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private Path given;

	@Override
	public Integer call() {
		boolean isArchive = Files.isRegularFile(this.given);
		Path html = isArchive ? this.given.resolveSibling(this.given.getFileName() + ".html")
				: this.given.resolve(ReportWriter.NAME);
		try {
			write(isArchive ? unpacked(this.given) : RunFile.read(this.given.resolve(RunFile.NAME)), html);
		}
		catch (IOException | IllegalArgumentException ex) {
			throw new LabException("%s: %s".formatted(this.given, ex.getMessage()), ex);
		}
		say(html.toAbsolutePath().normalize().toString());
		return CommandLine.ExitCode.OK;
	}

	/** The run in an archive; reading it compares the checksum. */
	private static RunResult unpacked(Path zip) throws IOException {
		try (ZipInputStream archive = new ZipInputStream(Files.newInputStream(zip))) {
			for (ZipEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
				if (RUN.matcher(entry.getName()).matches()) {
					return RunFile.parse(entry.getName(), archive.readAllBytes());
				}
			}
			throw new IOException("it holds no " + RunFile.NAME);
		}
	}

	/**
	 * Writes a report.
	 * @param html the file, replaced if it is there
	 * @throws IOException if it cannot be written
	 */
	public static void write(RunResult run, Path html) throws IOException {
		Path directory = html.toAbsolutePath().getParent();
		if (directory != null) {
			Files.createDirectories(directory);
		}
		Files.writeString(html, page(run));
	}

	/** What the terminal shows of a run: empty, or ending with a line break. */
	public static String text(RunResult run) {
		return sections(run).stream().map(Section::text).collect(Collectors.joining());
	}

	static String page(RunResult run) {
		List<Section> sections = sections(run);
		Html links = new Html();
		sections
			.forEach((section) -> links.open("li").element("a", section.title(), "href", "#" + section.id()).close());
		Environment environment = run.environment();
		Html facts = new Html().text("%s · %s, %s cores, %s · commit %s".formatted(Figures.time(run.startedAt()),
				environment.cpu(), environment.cores(), Figures.bytes(environment.memoryBytes()), commit(run)));
		String body = Html.resource(BODY)
			.formatted(new Html().text(name(run)), facts, doubts(run), sections.getFirst(), links,
					sections.stream().skip(1).map(Section::toString).collect(Collectors.joining()));
		return Html.page("Sluice: " + name(run), "", "", body, Html.resource(SCRIPT));
	}

	private static List<Section> sections(RunResult run) {
		List<Section> own = switch (run.finding()) {
			case null -> List.of();
			case ChaosResult chaos -> ChaosPage.sections(chaos);
			case ClientResult client -> ClientPage.sections(client);
			case CompareResult compare -> ComparePage.sections(run, compare);
			case DrainResult drain -> DrainExperiment.sections(drain);
			case KneeResult knee -> KneePage.sections(knee);
			case PoolResult pool -> PoolExperiment.sections(pool);
			case SinkResult sink -> SinkPage.sections(sink);
			case SurgeResult surge -> SurgeExperiment.sections(surge);
		};
		return Stream.concat(own.stream(), Stream.of(method(run))).toList();
	}

	/** The number of doubts in a line above the answer, which unfolds to list them. */
	private static Html doubts(RunResult run) {
		List<String> brief = new ArrayList<>();
		List<String> doubts = new ArrayList<>();
		if (run.partial() != null) {
			brief.add("this run is partial");
			doubts.add("Partial: %s. What follows is what was measured until then.".formatted(run.partial()));
		}
		List<Check> failed = run.checks().stream().filter((check) -> !check.holds()).toList();
		if (!failed.isEmpty()) {
			brief.add("%s of this run failed".formatted(Figures.counted(failed.size(), "check")));
			failed.forEach((check) -> doubts.add("This run fails a check, so its figures are unreliable. %s: %s."
				.formatted(check.what(), check.detail())));
		}
		long marked = run.cells().stream().filter(Reliability::marked).count();
		if (marked > 0) {
			brief.add("%s of %s cells are unreliable (%s)".formatted(marked, run.cells().size(), Reliability.SIGN));
			doubts.add(
					"A cell is one gateway in one mode, with one backend and load. %s of %s are unreliable, marked %s and hollow in charts: a table below all cells says why."
						.formatted(marked, run.cells().size(), Reliability.SIGN));
		}
		else if (text(run).contains(Reliability.SIGN)) {
			brief.add("some figures are unreliable (%s)".formatted(Reliability.SIGN));
			doubts.add(
					"A %s: other processes used more than %s of the machine's CPU, or it is not known what they used, or the load generator was late."
						.formatted(Reliability.SIGN, Figures.percent(Reliability.FOREIGN_CPU_LIMIT)));
		}
		Html html = new Html();
		return doubts.isEmpty() ? html
				: html.open("details", "class", "caution")
					.element("summary", "Read with care: " + String.join("; ", brief))
					.list(doubts)
					.close();
	}

	private static String name(RunResult run) {
		return "lab " + run.experiment();
	}

	private static String commit(RunResult run) {
		String sha = run.environment().gitSha();
		return sha.substring(0, Math.min(12, sha.length()))
				+ (run.environment().gitDirty() ? " with local changes" : "");
	}

	/**
	 * How to repeat a run, and where it ran. How figures are measured, and what limits
	 * them, is in the documents.
	 */
	private static Section method(RunResult run) {
		Section section = new Section("method", "How to repeat it, and where it ran");
		section.element("h3", "Repeat it");
		section.open("pre", "tabindex", "0").element("code", run.command()).close();
		section.paragraph(
				"docs/laboratory.md of this commit and the page of the experiment say how the figures are measured, and what limits them.");
		if (!run.checks().isEmpty()) {
			section.element("h3", "Checked against itself");
			section.table(Table.of("What must hold if these figures are to be believed", run.checks(),
					List.of(Column.words("Check", Check::what),
							Column.words("Holds", (check) -> check.holds() ? "yes" : "no"),
							Column.words("Figures", Check::detail))));
		}
		section.table(environment(run));
		if (!run.configuration().isEmpty()) {
			section.details("Configuration", Table.of("Configuration", "Name", new TreeMap<>(run.configuration())));
		}
		return section;
	}

	private static Table environment(RunResult run) {
		Environment environment = run.environment();
		Map<String, String> values = new LinkedHashMap<>();
		values.put("Started", Figures.time(run.startedAt()));
		values.put("Took", Figures.duration(Duration.between(run.startedAt(), run.finishedAt())));
		values.put("Whole", (run.partial() != null) ? "no: " + run.partial() : "yes");
		values.put("Commit", environment.gitSha() + (environment.gitDirty() ? " with local changes" : ""));
		values.put("Processor", "%s, %s cores".formatted(environment.cpu(), Figures.count(environment.cores())));
		values.put("Memory", Figures.bytes(environment.memoryBytes()));
		values.put("System", environment.os());
		values.put("Java", environment.java());
		values.put("Kafka and PostgreSQL", environment.infrastructure());
		return Table.of("Where and when", "What", values);
	}

}
