package dev.sluice.lab.statistics;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.sluice.lab.Lab;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

@Tag("full")
class VerifyStatisticsTests {

	private final StringWriter out = new StringWriter();

	private final StringWriter err = new StringWriter();

	@TempDir
	private Path directory;

	@Test
	void findsWhatIsThereAndNothingElse() {
		Trials trials = Trials.run(400, PairNoise.normal(PairNoise.USUAL), new Random(7));

		// Three standard deviations below 99 in a hundred.
		assertThat(trials.noDifference()).isGreaterThanOrEqualTo(396 - 6);
		assertThat(trials.found()).isGreaterThanOrEqualTo(320);
	}

	@Test
	void isNotFooledByOutliers() {
		List<Double> recorded = new ArrayList<>();
		for (int i = 0; i < 40; i++) {
			recorded.add((i % 10 == 0) ? 1.0 : 0.02 * (i % 5));
		}

		assertThat(Trials.run(200, new PairNoise(0.3, recorded), new Random(7)).noDifference())
			.isGreaterThanOrEqualTo(198 - 5);
	}

	@Test
	void takesTheNoiseFromNeighbouringRepetitions() throws Exception {
		RunFile.write(run(80, 0.1), this.directory);

		PairNoise noise = PairNoise.of(List.of(run(80, 0.1)));

		assertThat(noise.recorded()).hasSize(40);
		assertThat(noise.deviation()).isBetween(0.05, 0.15);
		assertThat(execute(this.directory.toString())).isZero();
		assertThat(this.out.toString()).contains("as recorded in 40 pairs", " of 20 comparisons find no difference");
	}

	@Test
	void saysWhereTooLittleWasRecorded() throws Exception {
		RunFile.write(run(4, 0.1), this.directory);

		assertThat(execute(this.directory.toString())).isEqualTo(CommandLine.ExitCode.SOFTWARE);
		assertThat(this.err.toString()).contains("These runs have 2 pairs of repetitions, and 8 are needed");
	}

	@Test
	void refusesNoiseThatIsNone() {
		assertThat(execute("--noise", "0")).isEqualTo(CommandLine.ExitCode.USAGE);
		assertThat(execute("--noise", "0.1", this.directory.toString())).isEqualTo(CommandLine.ExitCode.USAGE);
	}

	private int execute(String... args) {
		List<String> all = new ArrayList<>(List.of("verify-statistics"));
		all.addAll(List.of(args));
		return Lab.commandLine()
			.setOut(new PrintWriter(this.out, true))
			.setErr(new PrintWriter(this.err, true))
			.execute(all.toArray(String[]::new));
	}

	private static RunResult run(int repetitions, double noise) {
		Random random = new Random(3);
		List<CellResult> cells = new ArrayList<>();
		for (int repetition = 1; repetition <= repetitions; repetition++) {
			double rate = 1_000 * Math.exp(noise / Math.sqrt(2) * random.nextGaussian());
			cells.add(Runs.rate(new Cell("reactive", "sync", "unlimited", Load.inFlight(1_000), repetition), rate));
		}
		return Runs.run("compare", null, cells, List.of());
	}

}
