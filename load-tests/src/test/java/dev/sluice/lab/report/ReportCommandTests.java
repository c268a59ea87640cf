package dev.sluice.lab.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import dev.sluice.lab.LabRun;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ReportCommandTests {

	@TempDir
	private Path raw;

	@TempDir
	private Path directory;

	private final LabRun lab = new LabRun();

	@Test
	void writesThePageIntoTheRunsDirectoryAndPrintsItsPath() throws IOException {
		RunFile.write(Runs.partial(), this.directory);

		int exit = run(this.directory.toString());

		Path page = this.directory.resolve("report.html");
		assertThat(exit).isZero();
		assertThat(this.lab.out()).isEqualTo(page + System.lineSeparator());
		assertThat(page).content().contains("Partial: interrupted by the user");
	}

	@Test
	void failsWithOneLineWhereThereIsNoRun() {
		int exit = run(this.directory.resolve("none").toString());

		assertThat(exit).isEqualTo(1);
		assertThat(this.lab.err().lines()).singleElement().asString().contains("There is no", "none");
	}

	@Test
	void failsWithOneLineIfThePageCannotBeWritten() throws IOException {
		RunFile.write(Runs.partial(), this.directory);
		Files.createDirectory(this.directory.resolve("report.html"));

		int exit = run(this.directory.toString());

		assertThat(exit).isEqualTo(1);
		assertThat(this.lab.err().lines()).singleElement().asString().contains("report.html");
	}

	@Test
	void refusesToGuessADirectory() {
		assertThat(run()).isEqualTo(2);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "compare-20261124-143607/", "results/compare-20261124-143607/" })
	void writesThePageBesideTheArchive(String prefix) throws IOException {
		Path zip = zip(files(prefix));

		assertThat(run(zip.toString())).as(this.lab.err()).isZero();

		assertThat(this.directory.resolve("run.zip.html")).content().contains("id=\"run\"");
	}

	@Test
	void saysThatAFileIsNoArchive() throws IOException {
		assertThat(refusal(Files.writeString(this.directory.resolve("run.zip"), "no archive"))).contains("run.zip");
		assertThat(refusal(zip(List.of(Map.entry("a/b/c/run.json", new byte[1]))))).contains("it holds no run.json");
	}

	private String refusal(Path zip) {
		assertThat(run(zip.toString())).isEqualTo(1);
		return this.lab.err();
	}

	private List<Map.Entry<String, byte[]>> files(String prefix) throws IOException {
		return List.of(Map.entry(prefix + "outcomes/1/a b.json", new byte[] { '{', '}' }),
				Map.entry(prefix + RunFile.NAME, Files.readAllBytes(RunFile.write(Runs.grid(), this.raw))));
	}

	private Path zip(List<Map.Entry<String, byte[]>> files) throws IOException {
		Path zip = this.directory.resolve("run.zip");
		try (ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(zip))) {
			for (Map.Entry<String, byte[]> file : files) {
				out.putNextEntry(new ZipEntry(file.getKey()));
				out.write(file.getValue());
			}
		}
		return zip;
	}

	private int run(String... arguments) {
		return this.lab.execute(Stream.concat(Stream.of("report"), Stream.of(arguments)).toArray(String[]::new));
	}

}
