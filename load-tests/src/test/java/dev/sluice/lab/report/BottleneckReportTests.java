package dev.sluice.lab.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

import dev.sluice.lab.kit.cell.Bottleneck;
import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.cell.Utilisation;
import dev.sluice.lab.kit.cell.Utilisation.LimitUse;
import dev.sluice.lab.kit.cell.Utilisation.ProcessUse;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

class BottleneckReportTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	@Test
	void saysWhatLimitedACell() {
		String page = Report.page(run(new Bottleneck.Limit("consumer", "orders in delivery", 50, 0.96)));

		assertThat(page).contains("The consumer was at its limit of 50 orders in delivery for 96 % of the time.");
	}

	@Test
	void theBottleneckOfMostCellsComesFirstAndLimitsOfOtherSizesAreOthers() {
		String text = Report.text(Runs.run("compare", null,
				List.of(cell(1, new Bottleneck.Generator(80), null, 0), cell(2, limit(7), null, 0),
						cell(3, limit(8), null, 0), cell(4, limit(7), null, 0), cell(5, null, null, 0))));

		assertThat(text).containsSubsequence(
				"Bottleneck of 2 of 5 cells, first in reactive queued, backend unlimited, 1,000 in flight, repetition 2: The gateway was at its limit of 7 calls",
				"Bottleneck of 1 of 5 cells: ", "Bottleneck of 1 of 5 cells: ");
	}

	/** What others left of the machine is not the system's bottleneck. */
	@Test
	void anUnreliableCellHasNone() {
		assertThat(Report.text(Runs.run("compare", null,
				List.of(cell(1, limit(7), null, 0.5), cell(2, null, null, 0), cell(3, null, null, 0)))))
			.doesNotContain("Bottleneck of");
	}

	private static Bottleneck limit(double size) {
		return new Bottleneck.Limit("gateway", "calls", size, 0.5);
	}

	@Test
	void saysWhereTooLittleIsKnown() {
		assertThat(Report.page(run(null))).contains("Too little is known.");
	}

	@Test
	void saysThatACellWasMeasuredCold() {
		assertThat(Report.page(run(null, 0.16))).contains("1 of 1 cells are unreliable",
				"their compilers used 16 % of the CPU");
		assertThat(Report.page(run(null, 0.04))).doesNotContain("not warm");
	}

	@Test
	void isTheSameFromTheFile(@TempDir Path directory) throws Exception {
		for (Bottleneck bottleneck : List.of(new Bottleneck.Cpu(0.97, "kafka", 0.3),
				new Bottleneck.Limit("gateway", "calls", 7, 0.5), new Bottleneck.BackendLatency(100, 50),
				new Bottleneck.Generator(300), new Bottleneck.InFlight(10, 3, 0.4))) {
			RunResult run = run(bottleneck);

			assertThat(RunFile.read(RunFile.write(run, directory))).isEqualTo(run);
		}
	}

	@Test
	void readsTheMemberByItsFormerName(@TempDir Path directory) throws Exception {
		RunResult run = run(new Bottleneck.Generator(300));
		Path file = RunFile.write(run, directory);
		String former = Files.readString(file).replace("\"bottleneck\"", "\"bound\"");
		Files.writeString(file, former);

		assertThat(former).contains("\"bound\"");
		assertThat(RunFile.read(file)).isEqualTo(run);
	}

	private static RunResult run(@Nullable Bottleneck bottleneck) {
		return run(bottleneck, null);
	}

	private static RunResult run(@Nullable Bottleneck bottleneck, @Nullable Double jitShare) {
		return Runs.run("compare", null, List.of(cell(1, bottleneck, jitShare, 0)));
	}

	private static CellResult cell(int repetition, @Nullable Bottleneck bottleneck, @Nullable Double jitShare,
			double foreign) {
		Utilisation utilisation = new Utilisation(0.6, Map.of("consumer", new ProcessUse(0.4, jitShare)),
				List.of(new LimitUse("consumer", "orders in delivery", 50, 48, 0.96)), 50.2, 48.0, 996.0, bottleneck);
		return new CellResult(new Cell("reactive", "queued", "unlimited", Load.inFlight(1_000), repetition), START,
				START.plusSeconds(1), 1_000, 0, Map.of(), 1_000, 1_000, 1_000, 1_000, null, null, null, Map.of(), 0L,
				50, foreign, 0, null, utilisation);
	}

}
