package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.contract.ProblemType;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The table of {@code docs/api.md} explains each problem type. */
class ProblemDocumentTests {

	private static final Path API = Path.of("../docs/api.md");

	/** Names and statuses of a row, separated by commas. */
	private static final Pattern ROW = Pattern
		.compile("\\| (`[a-z-]+`(?:, `[a-z-]+`)*) \\| (\\d{3}(?:, \\d{3})*) \\| .+ \\|");

	@Test
	void theApiExplainsEachProblem() throws IOException {
		Map<String, Integer> explained = new TreeMap<>();
		Files.readAllLines(API).stream().map(ROW::matcher).filter(Matcher::matches).forEach((row) -> {
			List<String> names = List.of(row.group(1).replace("`", "").split(", "));
			List<String> statuses = List.of(row.group(2).split(", "));
			for (int i = 0; i < names.size(); i++) {
				explained.put(names.get(i), Integer.valueOf(statuses.get(Math.min(i, statuses.size() - 1))));
			}
		});

		assertThat(explained).isEqualTo(Stream.of(ProblemType.values())
			.collect(Collectors.toMap(ProblemDocumentTests::name, ProblemType::status)));
	}

	private static String name(ProblemType type) {
		String name = type.type().toString();
		return name.substring(name.lastIndexOf(':') + 1);
	}

}
