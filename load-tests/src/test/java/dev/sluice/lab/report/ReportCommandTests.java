package dev.sluice.lab.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.sluice.lab.Lab;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class ReportCommandTests {

	@TempDir
	Path directory;

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	@Test
	void writesThePageIntoTheRunsDirectoryAndPrintsItsPath() throws IOException {
		RunFile.write(Runs.partial(), this.directory);

		int exit = run(this.directory.toString());

		Path page = this.directory.resolve("report.html");
		assertThat(exit).isZero();
		assertThat(this.out).hasToString(page + System.lineSeparator());
		assertThat(page).content().contains("Partial: interrupted by the user");
	}

	@Test
	void failsWithOneLineWhereThereIsNoRun() {
		int exit = run(this.directory.resolve("none").toString());

		assertThat(exit).isEqualTo(1);
		assertThat(this.err.toString().lines()).singleElement().asString().contains("There is no", "none");
	}

	@Test
	void failsWithOneLineIfThePageCannotBeWritten() throws IOException {
		RunFile.write(Runs.partial(), this.directory);
		Files.createDirectory(this.directory.resolve("report.html"));

		int exit = run(this.directory.toString());

		assertThat(exit).isEqualTo(1);
		assertThat(this.err.toString().lines()).singleElement().asString().contains("report.html");
	}

	@Test
	void refusesToGuessADirectory() {
		assertThat(run()).isEqualTo(2);
	}

	private int run(String... arguments) {
		return Lab.commandLine()
			.setOut(new PrintWriter(this.out, true))
			.setErr(new PrintWriter(this.err, true))
			.execute(Stream.concat(Stream.of("report"), Stream.of(arguments)).toArray(String[]::new));
	}

}
