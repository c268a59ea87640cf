package dev.sluice.lab.kit.result;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.CompareResult.Setup;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class ResultTests {

	private static final Load TEN = Load.inFlight(10);

	@TempDir
	Path directory;

	@Test
	void readsWhatItWroteOfEveryKind() throws IOException {
		for (RunResult run : Runs.ofEveryKind()) {
			assertThat(RunFile.read(RunFile.write(run, this.directory))).isEqualTo(run);
		}
		assertThat(RunFile.read(RunFile.write(Runs.scenario(), this.directory.resolve("new/run"))))
			.isEqualTo(Runs.scenario());
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

	@Test
	void theCeilingIsTheLimitByTheBackendsTime() {
		Setup setup = new Setup(50, Map.of("unlimited", 50L), Map.of());

		assertThat(setup.ceiling("unlimited", "sync", TEN)).hasValue(200);
		assertThat(setup.ceiling("unlimited", "queued", TEN)).hasValue(1_000);
		assertThat(setup.ceiling("unlimited", "sync", new Load(Load.Kind.OFFERED, 10))).hasValue(10);
		assertThat(setup.ceiling("log-normal", "sync", TEN)).isEmpty();
		assertThat(new Setup(50, Map.of("unlimited", 0L), Map.of()).ceiling("unlimited", "queued", TEN)).isEmpty();
	}

	@Test
	void theCeilingRisesWithTheLoadUpToTheBackendsRate() {
		Setup setup = new Setup(50, Map.of("workers", 50L), Map.of("workers", 400.0));

		assertThat(setup.ceiling("workers", "sync", TEN)).hasValue(200);
		assertThat(setup.ceiling("workers", "sync", Load.inFlight(100))).hasValue(400);
		assertThat(setup.ceiling("workers", "queued", TEN)).hasValue(400);
	}

	@Test
	void hasARunOfEveryKind() {
		assertThat(Runs.ofEveryKind()).extracting((run) -> (Object) run.finding().getClass())
			.as("kinds of Finding: add an invented run of a missing one to Runs.ofEveryKind(), in load-tests/src/test/java/dev/sluice/lab/kit/result/Runs.java")
			.containsAll(kinds(Finding.class).toList());
	}

	/** The records that a finding can be. */
	private static Stream<Class<?>> kinds(Class<?> type) {
		return type.isSealed() ? Stream.of(type.getPermittedSubclasses()).flatMap(ResultTests::kinds) : Stream.of(type);
	}

}
