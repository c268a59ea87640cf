package dev.sluice.lab.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.sluice.contract.ProblemType;
import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;

/**
 * The table of {@code docs/development.md} that leads from a problem that a client got to
 * the classes that decide it.
 */
class ProblemDocumentTests {

	private static final Path DOCUMENT = Path.of("../docs/development.md");

	private static final List<String> MODULES = List.of("gateway-core", "gateway-servlet", "gateway-reactive");

	@Test
	void theDocumentHasTheClassesOfEachProblem() throws IOException {
		GeneratedTable table = new GeneratedTable(DOCUMENT, "problems", "problem", "status", "decided by");
		for (ProblemType type : ProblemType.values()) {
			String name = type.type().toString();
			table.row("`%s`".formatted(name.substring(name.lastIndexOf(':') + 1)), Integer.toString(type.status()),
					MODULES.stream()
						.flatMap((module) -> classesThatName(type, module))
						.collect(Collectors.joining(", ")));
		}
		table.check();
	}

	/** With links; twins are told apart by their module. */
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
