package dev.sluice.lab.surge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

import dev.sluice.devservices.Infrastructure;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.SurgeResult;
import dev.sluice.lab.Lab;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A short surge, from end to end, with the services' real jars. */
@ExtendWith(NoProcessLeft.class)
@Tag("full")
class SurgeIT {

	@TempDir
	private Path directory;

	@Test
	void eachOrderHasAnOutcomeAndAcceptedOnesAreInTheRawData() throws Exception {
		Path results = this.directory.resolve("results");
		StringWriter err = new StringWriter();

		int exitCode = Lab.commandLine()
			.setErr(new PrintWriter(err))
			.execute("surge", "--variants", "reactive", "--steps", "20:3,60:2", "--connections", "150", "--keys",
					"--infra", Infrastructure.fromEnvironment().name(), "--out", results.toString());

		assertThat(exitCode).as(err.toString()).isZero();
		assertThat(RunFile.read(results.resolve(RunFile.NAME)).finding()).isInstanceOfSatisfying(SurgeResult.class,
				(surge) -> {
					SurgeResult.Run run = surge.runs().getFirst();
					assertThat(run.ended()).isNull();
					assertThat(run.seconds()).hasSize(5);
					assertThat(run.parts()).extracting((part) -> part.outcomes().due()).containsExactly(60, 120);
					int accepted = run.seconds().stream().mapToInt((second) -> second.outcomes().accepted()).sum();
					assertThat(accepted).isPositive().isEqualTo(accepted(results));
				});
		assertThat(results.resolve("report.html")).isNotEmptyFile();
	}

	private static int accepted(Path results) {
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(
				new GZIPInputStream(Files.newInputStream(results.resolve("requests/reactive-queued-1.csv.gz"))),
				StandardCharsets.UTF_8))) {
			return (int) lines.lines().filter((line) -> line.startsWith("202,")).count();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
