package dev.sluice.lab.scenario;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/**
 * The fields of a mapping in a YAML file. Unknown keys are refused first; a value that is
 * invalid or out of range is refused when it is read. Each refusal names the line.
 */
final class Fields {

	private static final Pattern DURATION = Pattern.compile("(\\d+)\\s*(ms|s|min)");

	private static final Pattern RATE = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*/s");

	private static final Pattern SIZE = Pattern.compile("([1-9]\\d*)\\s*(MB|GB)");

	private static final Pattern PERCENT = Pattern.compile("(\\d+(?:\\.\\d+)?)\\s*%");

	private final String file;

	private final Node node;

	private final Map<String, Node> fields = new LinkedHashMap<>();

	/**
	 * @param known the allowed keys, in the order in which messages list them
	 * @throws ScenarioException if the node is not a mapping, or has a duplicate or
	 * unknown key
	 */
	Fields(String file, Node node, String... known) {
		this.file = file;
		this.node = node;
		if (!(node instanceof MappingNode mapping)) {
			throw refused(node, "must be a mapping: 'key: value' in each line");
		}
		for (NodeTuple field : mapping.getValue()) {
			String key = scalar(field.getKeyNode());
			if (!List.of(known).contains(key)) {
				throw refused(field.getKeyNode(), "'%s' is unknown: use %s".formatted(key, String.join(", ", known)));
			}
			if (this.fields.put(key, field.getValueNode()) != null) {
				throw refused(field.getKeyNode(), "'%s' appears twice".formatted(key));
			}
		}
	}

	/**
	 * The fields of a file.
	 * @throws ScenarioException if it is empty, not YAML, or not a mapping of known keys
	 * @throws IOException if it cannot be read
	 */
	static Fields of(Path path, String... known) throws IOException {
		String file = String.valueOf(path.getFileName());
		try (Reader in = Files.newBufferedReader(path, StandardCharsets.UTF_8)) {
			Node root = new Yaml(new LoaderOptions()).compose(in);
			if (root == null) {
				throw new ScenarioException("%s:1: it is empty: use %s".formatted(file, String.join(", ", known)));
			}
			return new Fields(file, root, known);
		}
		catch (MarkedYAMLException ex) {
			int line = (ex.getProblemMark() != null) ? ex.getProblemMark().getLine() + 1 : 1;
			throw new ScenarioException("%s:%s: not YAML: %s".formatted(file, line, ex.getProblem()));
		}
	}

	/** An error at a place in the file. */
	ScenarioException refused(Node where, String what) {
		return new ScenarioException("%s:%s: %s".formatted(this.file, where.getStartMark().getLine() + 1, what));
	}

	Optional<Node> take(String key) {
		return Optional.ofNullable(this.fields.get(key));
	}

	Node need(String key) {
		return take(key).orElseThrow(() -> refused(this.node, "'%s' is missing".formatted(key)));
	}

	boolean has(String key) {
		return this.fields.containsKey(key);
	}

	/** Refuses the first of these keys that is there. */
	void refuse(String why, String... keys) {
		Stream.of(keys).map(this.fields::get).filter(Objects::nonNull).findFirst().ifPresent((value) -> {
			throw refused(value, why);
		});
	}

	/** The fields of a mapping in the same file. */
	Fields of(Node value, String... known) {
		return new Fields(this.file, value, known);
	}

	/** The fields of a section; none if it is not there. */
	Fields fields(String key, String... known) {
		Node none = new MappingNode(Tag.MAP, List.of(), DumperOptions.FlowStyle.AUTO);
		return of(take(key).orElse(none), known);
	}

	/** The fields of a section that must be there. */
	Fields need(String key, String first, String... more) {
		return of(need(key), Stream.concat(Stream.of(first), Stream.of(more)).toArray(String[]::new));
	}

	Node node() {
		return this.node;
	}

	/** A mapping with keys and words chosen by the user, in the file's order. */
	Map<String, String> texts(Node value) {
		if (!(value instanceof MappingNode mapping) || mapping.getValue().isEmpty()) {
			throw refused(value, "must be a mapping: 'name: value' in each line");
		}
		Map<String, String> named = new LinkedHashMap<>();
		for (NodeTuple field : mapping.getValue()) {
			String name = scalar(field.getKeyNode());
			if (named.put(name, scalar(field.getValueNode())) != null) {
				throw refused(field.getKeyNode(), "'%s' appears twice".formatted(name));
			}
		}
		return named;
	}

	<T> List<T> list(String key, Function<Node, T> reader, List<T> otherwise) {
		return take(key).map((value) -> list(value, reader)).orElse(otherwise);
	}

	/** A single value is a list of one. */
	<T> List<T> list(Node value, Function<Node, T> reader) {
		List<Node> nodes = (value instanceof SequenceNode sequence) ? sequence.getValue() : List.of(value);
		if (nodes.isEmpty()) {
			throw refused(value, "is empty: leave it out or name at least one");
		}
		return nodes.stream().map(reader).distinct().toList();
	}

	/** One of several words. */
	<T> T one(Node value, Object[] words, Function<String, T> reader) {
		try {
			return reader.apply(scalar(value));
		}
		catch (IllegalArgumentException _) {
			throw refused(value, "'%s' is unknown: use %s".formatted(scalar(value),
					Stream.of(words).map(Object::toString).collect(Collectors.joining(", "))));
		}
	}

	String text(Node value) {
		return scalar(value);
	}

	int count(String key, int least, int most, int otherwise) {
		return take(key).map((value) -> count(value, least, most)).orElse(otherwise);
	}

	int count(Node value, int least, int most) {
		String text = scalar(value);
		if (text.matches("\\d{1,9}")) {
			int count = Integer.parseInt(text);
			if (count >= least && count <= most) {
				return count;
			}
		}
		throw refused(value, "'%s' is not a number from %s to %s".formatted(text, least, most));
	}

	Duration duration(Node value, Duration least, Duration most) {
		String text = scalar(value);
		Matcher matcher = DURATION.matcher(text);
		if (!matcher.matches() || matcher.group(1).length() > 9) {
			throw refused(value, "'%s' is not a length of time: write it as 50ms, 2s or 1min".formatted(text));
		}
		long number = Long.parseLong(matcher.group(1));
		Duration duration = switch (matcher.group(2)) {
			case "ms" -> Duration.ofMillis(number);
			case "s" -> Duration.ofSeconds(number);
			default -> Duration.ofMinutes(number);
		};
		if (duration.compareTo(least) < 0 || duration.compareTo(most) > 0) {
			throw refused(value, "'%s' is not from %s ms to %s ms".formatted(text, least.toMillis(), most.toMillis()));
		}
		return duration;
	}

	double perSecond(Node value) {
		String text = scalar(value);
		Matcher matcher = RATE.matcher(text);
		double rate = matcher.matches() ? Double.parseDouble(matcher.group(1)) : 0;
		if (!(rate > 0 && rate <= 100_000)) {
			throw refused(value, "'%s' is not a rate up to 100,000/s: write it as 50/s".formatted(text));
		}
		return rate;
	}

	/** A size in the JVM's notation. */
	String heap(Node value) {
		String text = scalar(value);
		Matcher matcher = SIZE.matcher(text);
		if (!matcher.matches() || matcher.group(1).length() > 6) {
			throw refused(value, "'%s' is not a size: write it as 768MB or 1GB".formatted(text));
		}
		return matcher.group(1) + (matcher.group(2).equals("MB") ? "m" : "g");
	}

	double share(Node value) {
		String text = scalar(value);
		Matcher matcher = PERCENT.matcher(text);
		double percent = matcher.matches() ? Double.parseDouble(matcher.group(1)) : -1;
		if (!(percent >= 0 && percent <= 100)) {
			throw refused(value, "'%s' is not a share: write it as 5%%".formatted(text));
		}
		return percent / 100;
	}

	private String scalar(Node value) {
		if (value instanceof ScalarNode scalar && !scalar.getValue().isBlank()) {
			return scalar.getValue().strip();
		}
		throw refused(value, "must be a single value");
	}

}
