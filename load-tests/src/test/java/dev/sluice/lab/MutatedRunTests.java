package dev.sluice.lab;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.sluice.lab.kit.cell.CellResult;
import dev.sluice.lab.kit.result.CompareResult;
import dev.sluice.lab.kit.result.RunFile;
import dev.sluice.lab.kit.result.RunResult;
import dev.sluice.lab.kit.result.Runs;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Results with changed, missing or impossible figures give a report, or one line that
 * says what is wrong, but never an invalid figure.
 */
class MutatedRunTests {

	private static final JsonMapper JSON = new JsonMapper();

	private static final int MUTATIONS = 30;

	@TempDir
	private Path directory;

	@ParameterizedTest
	@ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
	void aMutatedRunGivesAReportOrALine(long seed) throws Exception {
		Random random = new Random(seed);

		for (RunResult run : Runs.ofEveryKind()) {
			Path file = RunFile.write(run, this.directory);
			JsonNode json = JSON.readTree(Files.readAllBytes(file));
			List<Runnable> mutations = new ArrayList<>();
			collect(json.path("finding"), random, mutations);
			for (int i = 0; i < MUTATIONS; i++) {
				mutations.get(random.nextInt(mutations.size())).run();
			}
			Files.write(file, JSON.writeValueAsBytes(json));

			assertReportOrLine(run.experiment(), file);
		}
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

	/** Ways to change each figure: 0, wrong by a factor, or missing. */
	private static void collect(JsonNode node, Random random, List<Runnable> mutations) {
		if (node instanceof ObjectNode object) {
			for (String name : List.copyOf(object.propertyNames())) {
				JsonNode value = object.get(name);
				if (value.isNumber()) {
					mutations.add(() -> mutate(object, name, random));
				}
				else {
					collect(value, random, mutations);
				}
			}
		}
		else if (node instanceof ArrayNode array) {
			array.forEach((each) -> collect(each, random, mutations));
		}
	}

	private static void mutate(ObjectNode object, String name, Random random) {
		JsonNode value = object.path(name);
		if (!value.isNumber()) {
			return;
		}
		switch (random.nextInt(4)) {
			case 0 -> object.remove(name);
			case 1 -> object.putNull(name);
			case 2 -> object.put(name, 0);
			default -> {
				if (value.isIntegralNumber()) {
					object.put(name, (int) Math.min(1_000_000, value.longValue() * 3 + 1));
				}
				else {
					object.put(name, value.doubleValue() * 1e6);
				}
			}
		}
	}

}
