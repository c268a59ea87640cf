package dev.sluice.lab.kit.measure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The wanted series of a Prometheus endpoint's answer in the text format.
 *
 * @param series in the order of the text
 */
public record Exposition(List<Series> series) {

	private static final Pattern NAME = Pattern.compile("[^{\\s#]+");

	private static final Pattern LABEL = Pattern.compile("([^=\\s,]+)=\"((?:[^\"\\\\]++|\\\\.)*+)\"");

	/** Name, labels, value; a timestamp may follow. */
	private static final Pattern LINE = Pattern
		.compile("[^{\\s]+(?:\\{((?:\\s*[^=\\s,]+=\"(?:[^\"\\\\]++|\\\\.)*+\",?)*+)})?\\s*([^\\s{]\\S*)(?:\\s.*)?");

	private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

	public Exposition {
		series = List.copyOf(series);
	}

	/**
	 * A line.
	 *
	 * @param labels empty if it has none
	 * @param value may be infinite, but not NaN
	 */
	public record Series(String name, Map<String, String> labels, double value) {

		public Series {
			labels = Map.copyOf(labels);
		}

		/** The label's value; empty if it has none of that name. */
		public String label(String label) {
			return this.labels.getOrDefault(label, "");
		}

	}

	/**
	 * Reads a text. Leaves out lines that are not of that format or have no value.
	 * @param filter the names to keep
	 */
	public static Exposition parse(String text, Predicate<String> filter) {
		return new Exposition(text.lines().flatMap((line) -> line(line, filter).stream()).toList());
	}

	/** One line; empty if it has no value or another name. */
	static Optional<Series> line(String line, Predicate<String> filter) {
		Matcher name = NAME.matcher(line);
		if (!name.lookingAt() || !filter.test(name.group())) {
			return Optional.empty();
		}
		Matcher matcher = LINE.matcher(line);
		if (!matcher.matches()) {
			return Optional.empty();
		}
		Map<String, String> labels = new LinkedHashMap<>();
		if (matcher.group(1) != null) {
			LABEL.matcher(matcher.group(1))
				.results()
				.forEach((label) -> labels.put(label.group(1), unescaped(label.group(2))));
		}
		try {
			double value = number(matcher.group(2));
			return Double.isNaN(value) ? Optional.empty() : Optional.of(new Series(name.group(), labels, value));
		}
		catch (NumberFormatException _) {
			return Optional.empty();
		}
	}

	private static String unescaped(String value) {
		return ESCAPED.matcher(value).replaceAll((escaped) -> switch (escaped.group(1)) {
			case "n" -> "\n";
			case String other -> Matcher.quoteReplacement(other);
		});
	}

	public Stream<Series> of(String name) {
		return this.series.stream().filter((each) -> each.name().equals(name));
	}

	/** All series of that name added up; null if there are none. */
	public @Nullable Double sum(String name) {
		return sum(of(name));
	}

	public static @Nullable Double sum(Stream<Series> series) {
		return series.map(Series::value).reduce(Double::sum).orElse(null);
	}

	/** A number in the format's notation. */
	public static double number(String text) {
		return switch (text) {
			case "+Inf" -> Double.POSITIVE_INFINITY;
			case "-Inf" -> Double.NEGATIVE_INFINITY;
			default -> Double.parseDouble(text);
		};
	}

}
