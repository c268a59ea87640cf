package dev.sluice.lab.kit.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class RawFilesTests {

	@TempDir
	private Path directory;

	/** The form of {@code sha256sum -c}; the report may be built again. */
	@Test
	void listsEachFileButTheReportWithItsDigest() throws IOException {
		Files.writeString(Files.createDirectories(this.directory.resolve("b")).resolve("1 2.json"), "");
		Files.writeString(this.directory.resolve("a"), "abc");
		Files.writeString(this.directory.resolve(ReportWriter.NAME), "page");
		RawFiles.write(this.directory);

		RawFiles.write(this.directory);

		assertThat(this.directory.resolve("files.sha256")).content().isEqualTo("""
				ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  a
				e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  b/1 2.json
				""");
	}

}
