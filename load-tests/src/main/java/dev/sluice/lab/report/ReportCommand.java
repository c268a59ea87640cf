package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

import dev.sluice.lab.kit.page.Figures;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.ReportWriter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code lab report}: rebuilds the page from {@code run.json}.
 */
@Command(name = "report", description = "Builds the HTML report of one run or several again from run.json.",
		mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {

	/** A result up to two levels below an archive's root. */
	private static final Pattern RUN = Pattern.compile("([^/]+/){0,2}" + Pattern.quote(RunFile.NAME));

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
			if (Files.isRegularFile(given)) {
				if (seen.add(given.toRealPath())) {
					runs.addAll(unpacked(given));
				}
				continue;
			}
			for (Path file : files(given)) {
				if (!Files.exists(file) || seen.add(file.toRealPath())) {
					runs.add(RunFile.read(file));
				}
			}
		}
		return runs;
	}

	/** The runs in an archive, read in place: no name in it can escape. */
	private static List<RunResult> unpacked(Path zip) throws IOException {
		try (ZipFile archive = new ZipFile(zip.toFile())) {
			List<RunResult> runs = new ArrayList<>();
			for (ZipEntry entry : archive.stream().filter((each) -> RUN.matcher(each.getName()).matches()).toList()) {
				runs.add(RunFile.read(archive, entry));
			}
			if (runs.isEmpty()) {
				throw new IOException("it holds no " + RunFile.NAME);
			}
			return runs;
		}
		catch (IOException | IllegalArgumentException ex) {
			throw new IOException("%s cannot be read: %s".formatted(zip, ex.getMessage()), ex);
		}
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
