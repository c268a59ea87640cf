package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import dev.sluice.docs.GeneratedTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The properties that Spring's annotation processor lists when a module is compiled: the
 * tables of {@code docs/configuration.md} are generated from them, and each has a test.
 */
class ConfigurationDocumentTests {

	static final List<String> MODULES = List.of("backend-mock", "gateway-core", "gateway-servlet", "grpc-sink",
			"order-consumer");

	private static final Path ROOT = Path.of("..");

	private static final String METADATA = "target/classes/META-INF/spring-configuration-metadata.json";

	/** Cuts off the default, which has its own column. */
	private static final Pattern DEFAULT_AT_THE_END = Pattern
		.compile("[;,.] [Dd]efault (?:\\{@code [^}]*}|[\\w.,:/-]+(?: (?:ms|s|min|days?|[KMG]?B))?)$");

	private static final Pattern CODE = Pattern.compile("\\{@code ([^}]*)}");

	@ParameterizedTest
	@FieldSource("MODULES")
	void standsInTheDocumentAsItIs(String module) throws IOException {
		GeneratedTable table = new GeneratedTable(ROOT.resolve("docs/configuration.md"), module, "property", "default",
				"meaning");
		properties(module).forEach((name, property) -> {
			String value = property.path("defaultValue").asString("");
			table.row("`%s`".formatted(name), value.isEmpty() ? "" : "`%s`".formatted(value),
					meaning(property.path("description").stringValue()));
		});
		table.check();
	}

	/** What no test sets may do nothing, or refuse nothing. */
	@ParameterizedTest
	@FieldSource("MODULES")
	void everyPropertyIsSetByATest(String module) throws IOException {
		String tests = tests();
		assertThat(properties(module).keySet()).allMatch(tests::contains);
	}

	/** The code and the resources of all modules' tests. */
	private static String tests() throws IOException {
		StringBuilder text = new StringBuilder();
		try (Stream<Path> files = Files.find(ROOT, Integer.MAX_VALUE,
				(file, _) -> file.toString().contains("/src/test/java/"))) {
			for (Path file : files.filter(Files::isRegularFile).toList()) {
				text.append(Files.readString(file));
			}
		}
		return text.toString();
	}

	@Test
	void everyModuleWithPropertiesHasATable() throws IOException {
		try (Stream<Path> modules = Files.list(ROOT)) {
			assertThat(modules.filter((module) -> Files.exists(module.resolve(METADATA)))
				.map((module) -> module.getFileName().toString())).hasSameElementsAs(MODULES);
		}
	}

	private static SortedMap<String, JsonNode> properties(String module) {
		SortedMap<String, JsonNode> properties = new TreeMap<>();
		for (JsonNode property : JsonMapper.shared()
			.readTree(ROOT.resolve(module).resolve(METADATA).toFile())
			.path("properties")) {
			properties.put(property.path("name").stringValue(), property);
		}
		return properties;
	}

	private static String meaning(String description) {
		String text = DEFAULT_AT_THE_END.matcher(description).replaceFirst("");
		return CODE.matcher(text.substring(0, 1).toUpperCase() + text.substring(1)).replaceAll("`$1`");
	}

}
