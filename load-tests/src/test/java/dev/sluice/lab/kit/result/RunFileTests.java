package dev.sluice.lab.kit.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class RunFileTests {

	@TempDir
	Path directory;

	@Test
	void readsWhatItWrote() throws IOException {
		RunResult full = Runs.full();

		Path file = RunFile.write(full, this.directory.resolve("new/run"));

		assertThat(RunFile.read(file)).isEqualTo(full);
	}

	@Test
	void readsWhatItWroteOfEveryKind() throws IOException {
		for (RunResult run : Runs.ofEveryKind()) {
			assertThat(RunFile.read(RunFile.write(run, this.directory))).isEqualTo(run);
		}
		assertThat(RunFile.read(RunFile.write(Runs.scenario(), this.directory))).isEqualTo(Runs.scenario());
	}

	@Test
	void replacesAnEarlierResultAndLeavesNothingElse() throws IOException {
		RunFile.write(Runs.full(), this.directory);

		RunFile.write(Runs.partial(), this.directory);

		assertThat(RunFile.read(this.directory.resolve(RunFile.NAME))).isEqualTo(Runs.partial());
		assertThat(this.directory).isDirectoryNotContaining((file) -> !file.endsWith(RunFile.NAME));
	}

	@Test
	void refusesAnotherSchemaByItsNumber() throws IOException {
		Path file = RunFile.write(Runs.partial(), this.directory);
		Files.writeString(file, Files.readString(file).replaceFirst("\"schema\" : 3", "\"schema\" : 7"));

		assertRefused(file, "schema 7", "reads schema 3");
	}

	@Test
	void refusesWhatIsNoRun() throws IOException {
		Path file = Files.writeString(this.directory.resolve(RunFile.NAME), "{\"hello\": 1}");

		assertRefused(file, "not the result of a run");
	}

	@Test
	void refusesAHalfFile() throws IOException {
		Path file = RunFile.write(Runs.partial(), this.directory);
		String whole = Files.readString(file);
		Files.writeString(file, whole.substring(0, whole.length() / 2));

		assertRefused(file, "damaged or incomplete");
	}

	@Test
	void namesWhatARunLacks() throws IOException {
		Path file = Files.writeString(this.directory.resolve(RunFile.NAME),
				"{\"schema\": 3, \"experiment\": \"compare\", \"command\": \"lab\", \"startedAt\": \"2026-11-21T09:00:00Z\"}");

		assertRefused(file, "damaged or incomplete", "finishedAt");
	}

	@Test
	void refusesAMissingFile() {
		assertRefused(this.directory.resolve(RunFile.NAME), "There is no", "name the directory of a finished run");
	}

	private static void assertRefused(Path file, String... parts) {
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> RunFile.read(file))
			.withMessageContainingAll(parts)
			.withMessageContaining(file.toString())
			.satisfies((ex) -> assertThat(ex.getMessage()).hasLineCount(1));
	}

}
