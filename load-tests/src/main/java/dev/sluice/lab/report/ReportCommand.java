package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Check;
import dev.sluice.lab.kit.run.RawFiles;
import dev.sluice.lab.kit.run.ReportWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code lab report}: rebuilds the page from {@code run.json}. Reports if the raw data
 * have changed since the run, or if its figures contradict each other.
 */
@Command(name = "report",
		description = "Builds the HTML report of one run or several again from run.json, and checks their raw data.",
		mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {

	@Parameters(paramLabel = "DIR", arity = "1..*",
			description = "Directory of a run, or of several, or a ZIP archive of it. Several runs get an overview and a"
					+ " chapter each.")
	private List<Path> runs = List.of();

	@Option(names = "--out", paramLabel = "FILE",
			description = "The page to write. Default: report.html in the first DIR, FILE.zip.html beside a ZIP archive.")
	private @Nullable Path out;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private CommandSpec spec;

	@Override
	public Integer call() {
		try {
			List<RunResult> runs = read();
			Path html = (this.out != null) ? this.out : page(this.runs.getFirst());
			write(runs, html);
			runs.forEach(this::printFailedChecks);
			this.spec.commandLine().getOut().println(html.toAbsolutePath().normalize());
			return CommandLine.ExitCode.OK;
		}
		catch (IOException ex) {
			this.spec.commandLine().getErr().println(ex.getMessage());
			return CommandLine.ExitCode.SOFTWARE;
		}
	}

	private static Path page(Path run) {
		return Files.isRegularFile(run) ? run.resolveSibling(run.getFileName() + ".html")
				: run.resolve(ReportWriter.NAME);
	}

	/** Reads each run once, however it is named. */
	private List<RunResult> read() throws IOException {
		List<RunResult> runs = new ArrayList<>();
		Set<Path> seen = new HashSet<>();
		for (Path given : this.runs) {
			if (!Files.isRegularFile(given)) {
				read(given, seen, runs);
			}
			else if (seen.add(given.toRealPath())) {
				try (FileSystem zip = RunArchive.open(given)) {
					read(zip.getPath("/"), seen, runs);
				}
				catch (IOException ex) {
					throw new IOException("%s cannot be read: %s".formatted(given, ex.getMessage()), ex);
				}
			}
		}
		return runs;
	}

	private static void read(Path directory, Set<Path> seen, List<RunResult> runs) throws IOException {
		for (Path file : files(directory)) {
			if (!Files.exists(file) || seen.add(file.toRealPath())) {
				runs.add(checked(RunFile.read(file), file.toAbsolutePath().getParent()));
			}
		}
	}

	/** Adds the state of the raw data to the run's checks. */
	private static RunResult checked(RunResult run, @Nullable Path directory) throws IOException {
		if (directory == null) {
			return run;
		}
		List<Check> checks = new ArrayList<>(run.checks());
		checks.add(RawFiles.check(directory));
		checks.addAll(Consistency.of(run, directory));
		return run.with(checks);
	}

	private void printFailedChecks(RunResult run) {
		run.checks()
			.stream()
			.filter((check) -> !check.holds())
			.forEach((check) -> this.spec.commandLine()
				.getErr()
				.println("lab %s of %s: %s: no, %s".formatted(run.experiment(), Figures.time(run.startedAt()),
						check.what(), check.detail())));
	}

	private static void write(List<RunResult> runs, Path html) throws IOException {
		try {
			Report.write(runs, html);
		}
		catch (IOException ex) {
			throw new IOException("%s cannot be written (%s): choose another with --out".formatted(html, ex), ex);
		}
	}

	/** The directory's own result, or else those up to two levels below, by name. */
	private static List<Path> files(Path directory) throws IOException {
		Path own = directory.resolve(RunFile.NAME);
		if (Files.exists(own) || !Files.isDirectory(directory)) {
			return List.of(own);
		}
		try (Stream<Path> found = Files.find(directory, 3, (file, _) -> file.endsWith(RunFile.NAME))) {
			List<Path> files = found.sorted().toList();
			return files.isEmpty() ? List.of(own) : files;
		}
	}

}
