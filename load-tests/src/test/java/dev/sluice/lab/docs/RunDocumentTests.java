package dev.sluice.lab.docs;

import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonTypeName;
import dev.sluice.docs.GeneratedTable;
import dev.sluice.lab.kit.result.RunResult;
import org.junit.jupiter.api.Test;

/**
 * The list in {@code docs/laboratory/run-json.md} is generated from the records that
 * define the file, and from the comments on their members.
 */
class RunDocumentTests {

	private static final Path DOCUMENT = Path.of("../docs/laboratory/run-json.md");

	private static final Path SOURCES = Path.of("src/main/java");

	private static final Pattern CODE = Pattern.compile("\\{@(?:code|value|link) #?([^}]*)}");

	@Test
	void theDocumentHasEachMember() throws IOException {
		GeneratedTable list = new GeneratedTable(DOCUMENT, "members");
		Set<Class<?>> objects = new LinkedHashSet<>();
		collect(RunResult.class, objects);
		for (Class<?> each : objects) {
			Map<String, String> meanings = meanings(each);
			list.line("").line("**`%s`**".formatted(name(each))).line("");
			for (RecordComponent member : each.getRecordComponents()) {
				list.line(line(member, meanings.getOrDefault(member.getName(), "")));
			}
		}
		list.line("").check();
	}

	/**
	 * A record and those within it, each once, in the order of their first occurrence.
	 */
	private static void collect(Type type, Set<Class<?>> objects) {
		switch (type) {
			case ParameterizedType generic ->
				Stream.of(generic.getActualTypeArguments()).forEach((each) -> collect(each, objects));
			case Class<?> sealed when sealed.isSealed() ->
				Stream.of(sealed.getPermittedSubclasses()).forEach((each) -> collect(each, objects));
			case Class<?> own when own.isRecord() && objects.add(own) ->
				Stream.of(own.getRecordComponents()).forEach((each) -> collect(each.getGenericType(), objects));
			default -> {
			}
		}
	}

	private static String name(Class<?> type) {
		JsonTypeName kind = type.getAnnotation(JsonTypeName.class);
		return (kind != null) ? "kind " + kind.value()
				: type.getName().substring(type.getName().lastIndexOf('.') + 1).replace('$', '.');
	}

	/** A number's type is left out. A question mark: the member may be null. */
	private static String line(RecordComponent member, String meaning) {
		boolean absent = Stream.of(member.getAnnotatedType().getAnnotations())
			.anyMatch((each) -> each.annotationType().getSimpleName().equals("Nullable"));
		String type = plain(member.getGenericType());
		return "- `%s%s`%s%s".formatted(member.getName(), absent ? "?" : "", type.equals("number") ? "" : " " + type,
				meaning.isEmpty() ? "" : ": " + meaning);
	}

	private static String plain(Type type) {
		return switch (type) {
			case ParameterizedType list when list.getRawType() == List.class ->
				"list of " + plain(list.getActualTypeArguments()[0]);
			case ParameterizedType map -> "map of " + plain(map.getActualTypeArguments()[1]);
			case Class<?> own when own == String.class -> "text";
			case Class<?> own when own == boolean.class || own == Boolean.class -> "boolean";
			case Class<?> own when own == Instant.class -> "time";
			case Class<?> own when own.isPrimitive() || Number.class.isAssignableFrom(own) -> "number";
			case Class<?> own when own.isEnum() -> Stream.of(own.getEnumConstants())
				.map((each) -> "`%s`".formatted(((Enum<?>) each).name()))
				.collect(Collectors.joining(", "));
			case Class<?> own when own.isSealed() -> "by `kind`";
			case Class<?> own when own.isRecord() -> "`%s`".formatted(name(own));
			default -> type.getTypeName().toLowerCase(Locale.ROOT);
		};
	}

	/** The meanings of a record's members, from the comment before it. */
	private static Map<String, String> meanings(Class<?> type) throws IOException {
		Class<?> top = type;
		while (top.getEnclosingClass() != null) {
			top = top.getEnclosingClass();
		}
		String source = Files.readString(SOURCES.resolve(top.getName().replace('.', '/') + ".java"));
		int record = source.indexOf("record " + type.getSimpleName() + "(");
		int begin = source.lastIndexOf("/**", record);
		int end = source.lastIndexOf("*/", record);
		if (begin < 0 || end < begin) {
			return Map.of();
		}
		String comment = CODE.matcher(source.substring(begin, end).replaceAll("\\n\\s*\\* ?", " ")).replaceAll("`$1`");
		return Pattern.compile("@param (\\w+) ([^@]*)")
			.matcher(comment)
			.results()
			.collect(Collectors.toMap((each) -> each.group(1), (each) -> each.group(2).strip().replaceAll("\\s+", " "),
					(one, _) -> one));
	}

}
