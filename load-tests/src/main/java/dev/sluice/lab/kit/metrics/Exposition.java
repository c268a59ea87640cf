package dev.sluice.lab.kit.metrics;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The wanted series of a Prometheus endpoint's answer in the text format.
 *
 * @param series in the order of the text
 */
public record Exposition(List<Series> series) {

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
		return Optional.ofNullable(new Line(line).series(filter));
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

	/** Reads a line from left to right. */
	private static final class Line {

		private final String text;

		private int at;

		Line(String text) {
			this.text = text;
		}

		@Nullable Series series(Predicate<String> filter) {
			while (this.at < this.text.length() && "{ \t".indexOf(this.text.charAt(this.at)) < 0) {
				this.at++;
			}
			String name = this.text.substring(0, this.at);
			if (name.isEmpty() || name.startsWith("#") || !filter.test(name)) {
				return null;
			}
			Map<String, String> labels = new LinkedHashMap<>();
			if (next('{')) {
				while (!next('}')) {
					if (!label(labels)) {
						return null;
					}
				}
			}
			// A timestamp may follow.
			Double value = value(this.text.substring(this.at).strip().split("\\s+")[0]);
			return (value != null) ? new Series(name, labels, value) : null;
		}

		private boolean next(char expected) {
			if (this.at < this.text.length() && this.text.charAt(this.at) == expected) {
				this.at++;
				return true;
			}
			return false;
		}

		/** Reads one label and the comma after it. */
		private boolean label(Map<String, String> labels) {
			int equals = this.text.indexOf("=\"", this.at);
			if (equals < 0) {
				return false;
			}
			String name = this.text.substring(this.at, equals).strip();
			StringBuilder value = new StringBuilder();
			this.at = equals + 2;
			while (this.at < this.text.length() && this.text.charAt(this.at) != '"') {
				char c = this.text.charAt(this.at++);
				if (c == '\\' && this.at < this.text.length()) {
					char escaped = this.text.charAt(this.at++);
					value.append((escaped == 'n') ? '\n' : escaped);
				}
				else {
					value.append(c);
				}
			}
			labels.put(name, value.toString());
			boolean closed = next('"');
			next(',');
			return closed;
		}

		private static @Nullable Double value(String text) {
			try {
				double value = Exposition.number(text);
				return Double.isNaN(value) ? null : value;
			}
			catch (NumberFormatException _) {
				return null;
			}
		}

	}

}
