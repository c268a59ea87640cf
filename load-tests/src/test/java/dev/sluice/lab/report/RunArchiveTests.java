package dev.sluice.lab.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

import dev.sluice.lab.Lab;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code lab report} with ZIP archives of runs. */
class RunArchiveTests {

	private final StringWriter err = new StringWriter();

	@TempDir
	private Path raw;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(strings = { "", "compare-20261124-143607/", "results/compare-20261124-143607/" })
	void writesThePageBesideTheArchive(String prefix) throws IOException {
		Path zip = zip(run(prefix));

		assertThat(report(zip)).as(this.err.toString()).isZero();

		assertThat(this.err.toString()).isEmpty();
		assertThat(this.directory.resolve("run.zip.html")).content().contains("id=\"run\"");
	}

	@Test
	void saysThatAFileIsNoArchive() throws IOException {
		assertThat(refusal(Files.writeString(this.directory.resolve("run.zip"), "no archive"))).contains("run.zip");
		assertThat(refusal(zip(List.of(Map.entry("a/b/c/run.json", new byte[1]))))).contains("it holds no run.json");
	}

	private String refusal(Path zip) {
		assertThat(report(zip)).isEqualTo(1);
		assertThat(this.err.toString().lines()).hasSize(1);
		return this.err.toString();
	}

	private int report(Path run) {
		this.err.getBuffer().setLength(0);
		return Lab.commandLine()
			.setOut(new PrintWriter(new StringWriter(), true))
			.setErr(new PrintWriter(this.err, true))
			.execute("report", run.toString());
	}

	private List<Map.Entry<String, byte[]>> run(String prefix) throws IOException {
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

}
