package dev.sluice.lab.proof;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.ProofResult;
import dev.sluice.lab.kit.result.ProveResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.report.Report;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs the smallest forms of some proofs with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class ProveIT {

	@TempDir
	private Path directory;

	@Test
	void badRecordsAndBadRequestsStopNothingAndAKeyHasOneEffect() throws Exception {
		Path results = this.directory.resolve("results");
		StringWriter out = new StringWriter();

		int exitCode = new CommandLine(new ProveCommand(Report::write)).setOut(new PrintWriter(out))
			.execute("key", "records", "input", "--smallest", "--seed", "5", "--infra",
					Infrastructure.fromEnvironment().name(), "--out", results.toString());

		assertThat(exitCode).as(() -> out + failures(results)).isZero();
		RunResult run = RunFile.read(results.resolve(RunFile.NAME));
		assertThat(run.partial()).isNull();
		List<ProofResult> proofs = ((ProveResult) run.finding()).proofs();
		assertThat(proofs).extracting(ProofResult::proof).containsExactly("key", "records", "input");
		assertThat(proofs).allMatch(ProofResult::holds);
		assertThat(out.toString()).contains("key: holds", "report.html");
		assertThat(results.resolve("report.html")).isNotEmptyFile();
	}

	/** The failing requests; the test's directory with the files is deleted. */
	private static String failures(Path results) {
		try (Stream<Path> files = Files.find(results, 3, (file, _) -> file.endsWith("failures.csv"))) {
			StringBuilder text = new StringBuilder();
			for (Path file : files.toList()) {
				text.append("%s%n%s".formatted(results.relativize(file), Files.readString(file)));
			}
			return text.toString();
		}
		catch (IOException ex) {
			return ex.toString();
		}
	}

}
