package dev.sluice.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Random;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results with changed, missing or impossible figures give a report, or one line that
 * says what is wrong, but never an invalid figure.
 */
class MutatedRunTests {

	private static final int MUTATIONS = 30;

	/** With the comma after it, without which it cannot be left out. */
	private static final Pattern FIGURE = Pattern.compile("(\"[^\"]+\" : )(-?\\d+)([\\d.E-]*)(,\\s*)?");

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void aMutatedRunGivesAReportOrALine(long seed) throws Exception {
		Random random = new Random(seed);
		for (RunResult run : Runs.ofEveryKind()) {
			Path file = RunFile.write(run, this.directory);
			String json = Files.readString(file);
			int finding = json.indexOf("\"finding\"");
			double share = MUTATIONS / (double) FIGURE.matcher(json.substring(finding)).results().count();
			Files.writeString(file, json.substring(0, finding) + FIGURE.matcher(json.substring(finding))
				.replaceAll((figure) -> (random.nextDouble() < share) ? mutated(figure, random) : figure.group()));

			assertReportOrLine(run.experiment(), file);
		}
	}

	/** The figure is missing, null, 0 or wrong by a factor. */
	private static String mutated(MatchResult figure, Random random) {
		String end = Objects.requireNonNullElse(figure.group(4), "");
		return switch (random.nextInt(4)) {
			case 0 -> end.isEmpty() ? figure.group() : "";
			case 1 -> figure.group(1) + "null" + end;
			case 2 -> figure.group(1) + "0" + end;
			default -> figure.group(1) + (figure.group(3).isEmpty()
					? Long.toString(Math.min(1_000_000, Long.parseLong(figure.group(2)) * 3 + 1))
					: Double.toString(Double.parseDouble(figure.group(2) + figure.group(3)) * 1e6)) + end;
		};
	}

	private static void assertReportOrLine(String experiment, Path file) {
		RunResult mutated;
		try {
			mutated = RunFile.read(file);
		}
		catch (IOException ex) {
			assertThat(ex).message().isNotBlank().doesNotContain("\n");
			return;
		}
		String page = Report.page(mutated).replaceAll("(?s)<script.*?</script>", "");
		assertThat(page).as(experiment).doesNotContain("NaN", "Infinity", ">null<");
		if (mutated.finding() instanceof CompareResult) {
			assertThat(mutated.cells()).extracting(CellResult::cell).doesNotContainNull();
		}
	}

}
