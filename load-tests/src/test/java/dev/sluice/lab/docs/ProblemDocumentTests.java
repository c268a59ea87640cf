package dev.sluice.lab.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
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
import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The table of {@code docs/development.md} that lists the classes behind each problem
 * type, and the table of {@code docs/api.md} that explains the types.
 */
class ProblemDocumentTests {

	private static final Path DOCUMENT = Path.of("../docs/development.md");

	private static final Path API = Path.of("../docs/api.md");

	/** Names and statuses of a row, separated by commas. */
	private static final Pattern ROW = Pattern
		.compile("\\| (`[a-z-]+`(?:, `[a-z-]+`)*) \\| (\\d{3}(?:, \\d{3})*) \\| .+ \\|");

	private static final List<String> MODULES = List.of("gateway-core", "gateway-servlet", "gateway-reactive");

	@Test
	void theDocumentHasTheClassesOfEachProblem() throws IOException {
		GeneratedTable table = new GeneratedTable(DOCUMENT, "problems", "problem", "status", "decided by");
		for (ProblemType type : ProblemType.values()) {
			table.row("`%s`".formatted(name(type)), Integer.toString(type.status()),
					MODULES.stream()
						.flatMap((module) -> classesThatName(type, module))
						.collect(Collectors.joining(", ")));
		}
		table.check();
	}

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

	/** As links; twins are distinguished by their module. */
	private static Stream<String> classesThatName(ProblemType type, String module) {
		String constant = "ProblemType." + type.name();
		try (Stream<Path> sources = Files.walk(Path.of("..", module, "src/main/java"))) {
			return sources.filter((each) -> each.toString().endsWith(".java"))
				.filter((each) -> read(each).matches("(?s).*\\b" + constant + "\\b.*"))
				.sorted()
				.map((each) -> "[%s%s](%s)".formatted(each.getFileName().toString().replace(".java", ""),
						module.equals("gateway-core") ? "" : " (" + module.replace("gateway-", "") + ")",
						each.toString().replace('\\', '/')))
				.toList()
				.stream();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String read(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
