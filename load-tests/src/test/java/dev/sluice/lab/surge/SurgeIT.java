package dev.sluice.lab.surge;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

import dev.sluice.lab.LabRun;
import dev.sluice.lab.NoProcessLeft;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.SurgeResult;
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
		RunResult run = new LabRun().run(this.directory,
				"surge --variants reactive --steps 20:3,60:2 --connections 150 --keys");

		assertThat(run.finding()).isInstanceOfSatisfying(SurgeResult.class, (surge) -> {
			SurgeResult.Run only = surge.runs().getFirst();
			assertThat(only.ended()).isNull();
			assertThat(only.seconds()).hasSize(5);
			assertThat(only.parts()).extracting((part) -> part.outcomes().due()).containsExactly(60, 120);
			int accepted = only.seconds().stream().mapToInt((second) -> second.outcomes().accepted()).sum();
			assertThat(accepted).isPositive().isEqualTo(accepted(this.directory));
		});
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
