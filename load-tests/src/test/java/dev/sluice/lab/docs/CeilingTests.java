package dev.sluice.lab.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What is there may not grow: every line costs each reader, each build and each later
 * change. The ceilings only fall. Whoever adds something takes out as much; whoever takes
 * out more than a twentieth lowers the ceiling.
 */
class CeilingTests {

	/** Lines of {@code src/main/java}. */
	private static final Map<String, Integer> MAIN_LINES = Map.ofEntries(Map.entry("backend-mock", 1_574),
			Map.entry("dev-services", 2_080), Map.entry("gateway-core", 5_737), Map.entry("gateway-reactive", 1_445),
			Map.entry("gateway-servlet", 2_205), Map.entry("grpc-sink", 9_101), Map.entry("kafka-topics", 724),
			Map.entry("load-tests", 18_332), Map.entry("order-consumer", 5_562), Map.entry("order-contract", 999));

	/** Lines of {@code src/test/java} of all modules. */
	private static final int TEST_LINES = 44_954;

	private static final int RATIONALE_WORDS = 8_535;

	private static final int DOCS_WORDS = 19_755;

	private static final int CLASS_LINES = 400;

	private static final int PACKAGE_TYPES = 15;

	private static final int RECORD_COMPONENTS = 15;

	/** Files with more lines than a class may have. */
	private static final Map<String, Integer> LARGE_CLASSES = Map.of();

	/** Packages with more types than a package may have. */
	private static final Map<String, Integer> LARGE_PACKAGES = Map.of("order-contract/contract", 18,
			"dev-services/devservices", 17);

	/** Records with more components than a record may have. */
	private static final Map<String, Integer> LARGE_RECORDS = Map.of("CellResult", 20);

	private static final Pattern WORD = Pattern.compile("[\\p{L}\\p{N}][^\\s|]*");

	private static final Pattern RECORD = Pattern.compile("\\brecord (\\w+)(?:<[^(]*>)?\\(");

	@Test
	void noModuleGrows() throws IOException {
		Map<String, Integer> lines = new TreeMap<>();
		for (Path module : modules()) {
			lines.put(module.getFileName().toString(), lines(module.resolve("src/main/java")));
		}
		lines.values().removeIf((count) -> count == 0);
		assertThat(lines).hasSameSizeAs(MAIN_LINES);
		lines.forEach((module, count) -> holds("lines of " + module, count, MAIN_LINES.getOrDefault(module, 0)));
	}

	@Test
	void testsDoNotGrow() throws IOException {
		int lines = 0;
		for (Path module : modules()) {
			lines += lines(module.resolve("src/test/java"));
		}
		holds("lines of tests", lines, TEST_LINES);
	}

	@Test
	void proseDoesNotGrow() throws IOException {
		int rationale = 0;
		int docs = 0;
		for (Path document : MarkdownDocument.all()) {
			if (document.endsWith("RATIONALE.md")) {
				rationale += words(document);
			}
			else if (document.startsWith(MarkdownDocument.ROOT.resolve("docs"))) {
				docs += words(document);
			}
		}
		holds("words of the RATIONALE.md files", rationale, RATIONALE_WORDS);
		holds("words in docs", docs, DOCS_WORDS);
	}

	@Test
	void noClassIsTooLarge() throws IOException {
		Map<String, Integer> found = new TreeMap<>();
		for (Path file : sources()) {
			found.put(name(file), lines(file));
		}
		exceptions("lines of", found, CLASS_LINES, LARGE_CLASSES);
	}

	@Test
	void noPackageIsTooLarge() throws IOException {
		Map<String, Integer> found = sources().stream()
			.filter((file) -> !file.endsWith("package-info.java"))
			.collect(Collectors.toMap((file) -> name(file.getParent()), (_) -> 1, Integer::sum));
		exceptions("types in", found, PACKAGE_TYPES, LARGE_PACKAGES);
	}

	@Test
	void noRecordIsTooLarge() throws IOException {
		Map<String, Integer> found = new TreeMap<>();
		for (Path file : sources()) {
			String text = Files.readString(file);
			found.putAll(RECORD.matcher(text)
				.results()
				.collect(Collectors.toMap((record) -> record.group(1), (record) -> components(text, record),
						Math::max)));
		}
		exceptions("components of", found, RECORD_COMPONENTS, LARGE_RECORDS);
	}

	/** Counts the commas outside of brackets and strings. */
	private static int components(String text, MatchResult record) {
		int depth = 1;
		int components = 1;
		boolean quoted = false;
		for (int i = record.end(); depth > 0; i++) {
			char next = text.charAt(i);
			quoted ^= next == '"';
			if (!quoted) {
				depth += ("(<{".indexOf(next) >= 0) ? 1 : (")>}".indexOf(next) >= 0) ? -1 : 0;
				components += (next == ',' && depth == 1) ? 1 : 0;
			}
		}
		return components;
	}

	private static void exceptions(String what, Map<String, Integer> found, int most, Map<String, Integer> larger) {
		found.values().removeIf((count) -> count <= most);
		assertThat(found.keySet()).as("%s more than %s: cut it; or it is smaller now: delete its exception", what, most)
			.containsExactlyInAnyOrderElementsOf(larger.keySet());
		found.forEach((name, count) -> holds(what + " " + name, count, larger.getOrDefault(name, 0)));
	}

	private static void holds(String what, int count, int ceiling) {
		assertThat(count).as("%s: take out as much as you add", what).isLessThanOrEqualTo(ceiling);
		assertThat(count).as("%s: lower the ceiling", what).isGreaterThan(ceiling - Math.max(ceiling / 20, 1) - 1);
	}

	private static List<Path> modules() throws IOException {
		try (Stream<Path> modules = Files.list(MarkdownDocument.ROOT)) {
			return modules.filter((module) -> Files.exists(module.resolve("pom.xml"))).toList();
		}
	}

	private static List<Path> sources() throws IOException {
		List<Path> sources = new ArrayList<>();
		for (Path module : modules()) {
			sources.addAll(files(module.resolve("src/main/java")));
		}
		return sources;
	}

	private static List<Path> files(Path root) throws IOException {
		if (!Files.exists(root)) {
			return List.of();
		}
		try (Stream<Path> files = Files.walk(root)) {
			return files.filter((file) -> file.toString().endsWith(".java")).toList();
		}
	}

	private static int lines(Path root) throws IOException {
		int lines = 0;
		for (Path file : files(root)) {
			try (Stream<String> of = Files.lines(file)) {
				lines += (int) of.count();
			}
		}
		return lines;
	}

	private static int words(Path document) throws IOException {
		return (int) WORD.matcher(Files.readString(document)).results().count();
	}

	/** The module, and the path below {@code dev/sluice} with dots. */
	private static String name(Path file) {
		String path = MarkdownDocument.ROOT.relativize(file).toString();
		return path.substring(0, path.indexOf('/') + 1)
				+ path.replaceFirst(".*/dev/sluice/", "").replace(".java", "").replace('/', '.');
	}

}
