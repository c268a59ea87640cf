package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.run.ReportWriter;
import dev.sluice.lab.kit.stack.LabException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * {@code lab report}: rebuilds the page from {@code run.json}.
 */
@Command(name = "report", description = "Builds the HTML report of a run again from run.json.",
		mixinStandardHelpOptions = true)
public final class ReportCommand implements Callable<Integer> {

	/** A result up to two levels below an archive's root. */
	private static final Pattern RUN = Pattern.compile("([^/]+/){0,2}" + Pattern.quote(RunFile.NAME));

	@Parameters(paramLabel = "DIR", description = "Directory of a run, or a ZIP archive of it.")
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private Path given;

	@Spec
	@SuppressWarnings("NullAway.Init") // picocli sets it before call()
	private CommandSpec spec;

	@Override
	public Integer call() {
		boolean isArchive = Files.isRegularFile(this.given);
		Path html = isArchive ? this.given.resolveSibling(this.given.getFileName() + ".html")
				: this.given.resolve(ReportWriter.NAME);
		try {
			Report.write(isArchive ? unpacked(this.given) : RunFile.read(this.given.resolve(RunFile.NAME)), html);
		}
		catch (IOException | IllegalArgumentException ex) {
			throw new LabException("%s: %s".formatted(this.given, ex.getMessage()), ex);
		}
		this.spec.commandLine().getOut().println(html.toAbsolutePath().normalize());
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

}
