package dev.sluice.lab.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.RunResult.Environment;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class HistoryReportTests {

	@TempDir
	private Path directory;

	private final StringWriter out = new StringWriter();

	@Test
	void showsWhichFigureChangedAtWhichCommit() throws IOException {
		for (int run = 0; run < 16; run++) {
			leave(run, (run < 8) ? 1 : 0.7, 2);
		}

		assertThat(report()).isZero();

		assertThat(this.out).asString()
			.contains("16 runs, ", "orders saved per second: −3", "95 % interval −", "at commit08");
		assertThat(this.directory.resolve("history.html")).content()
			.contains("\"kind\":\"steps\"", "What changed over the commits", "commit08");
	}

	@Test
	void saysThatFewRunsShowNothing() throws IOException {
		leave(0, 1, 2);
		leave(1, 0.1, 2);

		assertThat(report()).isZero();

		assertThat(this.out).asString().contains("2 runs: fewer than 10 cannot show a change, however great it is.");
	}

	@Test
	void runsOfAnotherMachineAreLeftOut() throws IOException {
		for (int run = 0; run < 12; run++) {
			leave(run, 1, (run % 2 == 0) ? 8 : 2);
		}

		assertThat(report()).isZero();

		assertThat(this.out).asString().contains("6 of 12 runs are left out", "6 runs: fewer than 10");
	}

	private int report() {
		return new CommandLine(new ReportCommand()).setOut(new PrintWriter(this.out))
			.setErr(new PrintWriter(new StringWriter()))
			.execute("--history", this.directory.toString(), "--out",
					this.directory.resolve("history.html").toString());
	}

	private void leave(int number, double factor, int cores) throws IOException {
		RunResult run = Runs.brief();
		Random random = new Random(number);
		CompareResult compare = (CompareResult) run.finding();
		assertThat(compare).isNotNull();
		List<CellResult> cells = compare.cells().subList(0, 2).stream().map((cell) -> {
			double rate = 1_000 * factor * (1 + 0.02 * random.nextGaussian());
			return new CellResult(cell.cell(), cell.start(), cell.end(), cell.calls(), cell.failedCalls(),
					cell.failures(), cell.accepted(), cell.saved(), rate, rate, cell.latency(), cell.toAccepted(),
					cell.toSaved(), Map.of(), 0, 0, cell.foreignCpuShare(), cell.startLagP99Millis(), cell.problem(),
					List.of());
		}).toList();
		Environment here = run.environment();
		RunFile.write(
				new RunResult(run.schema(), run.experiment(), run.command(),
						run.startedAt().plus(Duration.ofHours(number)), run.finishedAt().plus(Duration.ofHours(number)),
						null,
						new Environment(cores, here.memoryBytes(), here.cpu(), here.os(), here.java(),
								here.infrastructure(), "commit%02d".formatted(number), false, here.versions()),
						run.configuration(), new CompareResult(cells, List.of(), null), List.of()),
				this.directory.resolve("run%02d".formatted(number)));
	}

}
