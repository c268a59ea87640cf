package dev.sluice.lab;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.stream.Stream;

import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** An unexpected error in each experiment: its progress cannot be printed. */
class PartialRunTests {

	private final PrintStream stderr = System.err;

	@TempDir
	private Path directory;

	@AfterEach
	void restore() {
		System.setErr(this.stderr);
	}

	static Stream<String> runs() {
		return Stream.of("compare --smallest --infra embedded", "compare --causes --smallest --infra embedded",
				"compare --scenario ../load-tests/scenarios/slow-partner.yaml --infra embedded",
				"chaos --smallest --infra embedded", "drain --infra embedded",
				"client --reference-table --infra embedded", "grid --smallest --infra embedded",
				"knee --smallest --infra embedded", "pool --quick --infra embedded", "sink --quick --infra embedded",
				"surge --infra embedded");
	}

	@Test
	void everyExperimentIsAmongTheRuns() {
		assertThat(runs().map((arguments) -> arguments.split(" ", 2)[0]))
			.as("experiments: add a run of a missing one to runs() in load-tests/src/test/java/dev/sluice/lab/PartialRunTests.java")
			.containsAll(LabRun.experiments());
	}

	@ParameterizedTest
	@MethodSource("runs")
	void aRunThatEndsByABugIsKeptAndFails(String arguments) throws IOException {
		RunResult result = run(arguments);

		assertThat(result.partial()).contains("the terminal is gone");
	}

	@Test
	void aRunKeepsTheScenarioThatItReads() throws IOException {
		run("compare --scenario ../load-tests/scenarios/slow-partner.yaml --infra embedded");

		assertThat(this.directory.resolve("run/scenario/slow-partner.yaml"))
			.hasSameBinaryContentAs(Path.of("../load-tests/scenarios/slow-partner.yaml"));
	}

	private RunResult run(String arguments) throws IOException {
		LabRun lab = new LabRun();
		System.setErr(new BrokenStream());

		int code = lab.execute((arguments + " --out " + this.directory.resolve("run")).split(" "));

		assertThat(code).as(lab.err()).isEqualTo(1);
		return RunFile.read(this.directory.resolve("run").resolve(RunFile.NAME));
	}

	/** Fails when a step is printed. */
	private final class BrokenStream extends PrintStream {

		private BrokenStream() {
			super(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);
		}

		@Override
		public void println(String text) {
			if (text.matches("(?s)\\d\\d:\\d\\d  .*")) {
				throw new IllegalStateException("the terminal is gone");
			}
			PartialRunTests.this.stderr.println(text);
		}

	}

}
