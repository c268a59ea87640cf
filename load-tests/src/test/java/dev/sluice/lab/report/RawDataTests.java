package dev.sluice.lab.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;

import dev.sluice.lab.kit.cell.Cell;
import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.cell.CellResult.Wait;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.cell.Load;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import dev.sluice.lab.kit.run.RawFiles;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

import static org.assertj.core.api.Assertions.assertThat;

/** Runs with random cells, unchanged and tampered with. */
class RawDataTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private final StringWriter err = new StringWriter();

	@TempDir
	private Path directory;

	static IntStream seeds() {
		return IntStream.range(0, Boolean.getBoolean("sluice.full") ? 25 : 6);
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void saysNothingOfARunAsItWasLeft(int seed) throws IOException {
		leave(cells(new Random(seed)));

		assertThat(report()).isEmpty();
		assertThat(report()).as("again, beside the page of the first time").isEmpty();
		assertThat(this.directory.resolve("report.html")).content()
			.doesNotContain("This run fails a check")
			.contains("The raw files are those that the run left");
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void saysWhichRawFileWasDeletedOrChanged(int seed) throws IOException {
		Random random = new Random(seed);
		List<CellResult> cells = cells(random);
		leave(cells);
		Path file = this.directory.resolve("outcomes/round/%d.json".formatted(random.nextInt(cells.size())));
		boolean delete = random.nextBoolean();
		if (delete) {
			Files.delete(file);
		}
		else {
			Files.writeString(file, "{}");
		}

		assertThat(report()).contains((delete ? "deleted: " : "changed: ") + this.directory.relativize(file));
		assertThat(this.directory.resolve("report.html")).content().contains("This run fails a check");
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void saysThatACellWasRemovedThoughTheListWasMadeAgain(int seed) throws IOException {
		Random random = new Random(seed);
		List<CellResult> cells = cells(random);
		leave(cells);
		cells.remove(random.nextInt(cells.size()));

		RunFile.write(run(cells), this.directory);
		assertThat(report()).contains("changed: run.json",
				"%d ended, %d results".formatted(cells.size() + 1, cells.size()));

		RawFiles.write(this.directory);
		assertThat(report()).contains("%d ended, %d results".formatted(cells.size() + 1, cells.size()))
			.doesNotContain("changed");
	}

	@ParameterizedTest
	@MethodSource("seeds")
	void saysThatFiguresDoNotFitEachOther(int seed) throws IOException {
		Random random = new Random(seed);
		List<CellResult> cells = cells(random);
		int which = random.nextInt(cells.size());
		CellResult cell = cells.get(which);
		int change = seed % 6;
		cells.set(which,
				new CellResult(cell.cell(), cell.start(), cell.end(), cell.calls() + ((change == 0) ? 1 : 0),
						cell.failedCalls(),
						(change == 1) ? Map.of("HTTP 500", cell.failedCalls() + 1) : cell.failures(), cell.accepted(),
						cell.saved() + ((change == 2) ? 1 : 0), cell.savedPerSecond() * ((change == 3) ? 1.001 : 1),
						cell.acceptedPerSecond(), null, wait(cell, (change == 4) ? 1 : 0),
						wait(cell, (change == 5) ? 1 : 0), Map.of(), 0, 0, 0.0, 0, null, List.of()));
		leave(cells);

		assertThat(report()).contains(cell.cell().toString(), switch (change) {
			case 0 -> " calls, of which ";
			case 1 -> " failed calls, and by their reasons ";
			case 4 -> " orders accepted, and by their waits ";
			case 5 -> " orders saved, and by their waits ";
			default -> " orders per second, and ";
		});
	}

	@Test
	void saysThatACellIsThereTwice() throws IOException {
		List<CellResult> cells = cells(new Random(1));
		cells.add(cells.getFirst());
		leave(cells);

		assertThat(report()).contains("appears twice");
	}

	@Test
	void saysThatARunHasNoListOfItsFiles() throws IOException {
		leave(cells(new Random(1)));
		Files.delete(this.directory.resolve(RawFiles.NAME));

		assertThat(report()).contains("the run has no files.sha256, so it cannot be checked");
	}

	private String report() {
		this.err.getBuffer().setLength(0);
		int exit = new CommandLine(new ReportCommand()).setOut(new PrintWriter(new StringWriter(), true))
			.setErr(new PrintWriter(this.err, true))
			.execute(this.directory.toString());
		assertThat(exit).isZero();
		return this.err.toString();
	}

	private void leave(List<CellResult> cells) throws IOException {
		Path outcomes = Files.createDirectories(this.directory.resolve("outcomes/round"));
		for (int i = 0; i < cells.size(); i++) {
			Files.writeString(outcomes.resolve(i + ".json"), "{\"name\":\"%d\"}".formatted(i));
		}
		RunFile.write(run(cells), this.directory);
		RawFiles.write(this.directory);
	}

	private static Wait wait(CellResult cell, long unfinished) {
		return new Wait(cell.accepted(), unfinished, 1.0, 2.0, 3.0);
	}

	private static RunResult run(List<CellResult> cells) {
		return Runs.found("compare", new CompareResult(cells, List.of(), null));
	}

	private static List<CellResult> cells(Random random) {
		List<CellResult> cells = new ArrayList<>();
		int count = 2 + random.nextInt(6);
		for (int i = 0; i < count; i++) {
			int orders = 1 + random.nextInt(3_000);
			long failed = random.nextInt(50);
			Duration length = Duration.ofNanos(1 + random.nextLong(60_000_000_000L));
			double perSecond = orders / (length.toNanos() / 1e9);
			cells.add(new CellResult(new Cell("reactive", "sync", "unlimited", Load.inFlight(orders), i + 1), START,
					START.plus(length), orders + failed, failed, (failed > 0) ? Map.of("HTTP 503", failed) : Map.of(),
					orders, orders, perSecond, perSecond, null, new Wait(orders, 0, 1.0, 2.0, 3.0),
					new Wait(orders, 0, 1.0, 2.0, 3.0), Map.of(), 0, 0, 0.0, 0, null, List.of()));
		}
		return cells;
	}

}
