package dev.sluice.lab.proof;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.result.ProofResult;
import dev.sluice.lab.result.RunFile;
import dev.sluice.lab.result.RunResult;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** The smallest forms of some proofs, on the services' real jars. */
class ProveIT {

	@TempDir
	private Path directory;

	@Test
	void badRecordsStopNothingAndAKeyHasOneEffect() throws Exception {
		Path results = this.directory.resolve("results");
		StringWriter out = new StringWriter();

		int exitCode = new CommandLine(new ProveCommand()).setOut(new PrintWriter(out))
			.execute("key", "records", "--smallest", "--seed", "5", "--infra", Infrastructure.fromEnvironment().name(),
					"--out", results.toString());

		assertThat(exitCode).as(out.toString()).isZero();
		RunResult run = RunFile.read(results.resolve(RunFile.NAME));
		assertThat(run.partial()).isNull();
		assertThat(run.proofs()).extracting(ProofResult::proof).containsExactly("key", "records");
		assertThat(run.proofs()).allMatch(ProofResult::holds);
		assertThat(out.toString()).contains("key: holds", "report.html");
		assertThat(results.resolve("report.html")).isNotEmptyFile();
		assertThat(children()).isEmpty();
	}

	/** Those that this JVM has started, Docker's helpers and the like left out. */
	private static List<String> children() {
		return ProcessHandle.current()
			.descendants()
			.map((process) -> process.info().commandLine().orElse(""))
			.filter((command) -> command.contains(".jar") || command.contains("KafkaMain"))
			.toList();
	}

}
