package dev.sluice.lab.size;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;

import dev.sluice.lab.Lab;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.size.Sizing.Need;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

class SizeCommandTests {

	private final StringWriter output = new StringWriter();

	private final CommandLine lab = Lab.commandLine()
		.setOut(new PrintWriter(this.output))
		.setErr(new PrintWriter(this.output));

	@TempDir
	private Path directory;

	@Test
	void coresAreInProportionToTheRate() {
		List<CellResult> cells = Runs.full().cells();

		Need once = new Sizing(1_000, 0.5).of(cells).getFirst();
		Need twice = new Sizing(2_000, 0.5).of(cells).getFirst();

		assertThat(twice.cores()).isEqualTo(2 * once.cores());
		assertThat(once.cores()).isBetween(once.least(), once.most());
	}

	@Test
	void namesTheRunThatTheFiguresComeFrom() throws Exception {
		RunFile.write(Runs.full(), this.directory);

		assertThat(this.lab.execute("size", "--orders-per-second", "10000", this.directory.toString())).isZero();
		assertThat(this.output.toString()).contains("10,000 orders per second", "Partitions of the topic orders",
				Runs.full().command());
	}

	@Test
	void refusesWithoutARun() {
		assertThat(this.lab.execute("size", "--orders-per-second", "10000")).isEqualTo(2);
		assertThat(this.lab.execute("size", "--orders-per-second", "10000", this.directory.toString())).isEqualTo(1);
		assertThat(this.output.toString()).contains("name the directory of a finished run");
	}

	@Test
	void refusesRunsWithoutCells() throws Exception {
		RunFile.write(Runs.chaos(0), this.directory);

		assertThat(this.lab.execute("size", "--orders-per-second", "1", this.directory.toString())).isEqualTo(1);
		assertThat(this.output.toString()).contains("run lab compare");
	}

}
