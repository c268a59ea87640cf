package dev.sluice.lab.scenario;

import java.io.IOException;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import tools.jackson.core.JacksonException.Reference;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.exc.ValueInstantiationException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * A YAML file whose mappings are bound to records.
 *
 * @param name the file's
 * @param content what it says
 * @param nodes the same with the lines
 */
record YamlFile(String name, ObjectNode content, Node nodes) {

	static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
		.build();

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it cannot be read, or is not a mapping in YAML
	 */
	static YamlFile read(Path file) {
		String name = String.valueOf(file.getFileName());
		LoaderOptions options = new LoaderOptions();
		options.setAllowDuplicateKeys(false);
		Yaml yaml = new Yaml(options);
		try {
			String text = Files.readString(file);
			if (JSON.valueToTree(yaml.load(text)) instanceof ObjectNode content) {
				return new YamlFile(name, content, yaml.compose(new StringReader(text)));
			}
			throw new IllegalArgumentException("%s:1: must be a mapping: 'key: value' in each line".formatted(name));
		}
		catch (MarkedYAMLException ex) {
			int line = (ex.getProblemMark() != null) ? ex.getProblemMark().getLine() + 1 : 1;
			throw new IllegalArgumentException("%s:%s: not YAML: %s".formatted(name, line, ex.getProblem()), ex);
		}
		catch (IOException ex) {
			throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, ex), ex);
		}
	}

	/**
	 * Binds what the file says, or something made of it.
	 * @throws IllegalArgumentException if a key is unknown or a value is not allowed; the
	 * message names the line
	 */
	<T> T as(Class<T> type, JsonNode document) {
		try {
			return JSON.treeToValue(document, type);
		}
		catch (DatabindException ex) {
			throw new IllegalArgumentException("%s:%s: %s".formatted(this.name, line(ex.getPath()), why(ex)), ex);
		}
	}

	private static String why(DatabindException ex) {
		return switch (ex) {
			case UnrecognizedPropertyException unknown -> "'%s' is unknown: use %s".formatted(unknown.getPropertyName(),
					unknown.getKnownPropertyIds().stream().map(Object::toString).collect(Collectors.joining(", ")));
			case ValueInstantiationException invalid when invalid.getCause() != null ->
				String.valueOf(invalid.getCause().getMessage());
			// Without the packages of the classes.
			default -> ex.getOriginalMessage().replaceAll("`[a-z.]+\\.", "`");
		};
	}

	/** A refusal of a key, or of the file if it does not have the key. */
	IllegalArgumentException refused(String key, String why) {
		return new IllegalArgumentException(
				"%s:%s: %s".formatted(this.name, line(List.of(new Reference(this.content, key))), why));
	}

	/** The line of the last key of a path that is in the file, from 1. */
	private int line(List<Reference> path) {
		int line = 1;
		Node node = this.nodes;
		for (Reference step : path) {
			switch (node) {
				case MappingNode mapping -> {
					NodeTuple field = field(mapping, step.getPropertyName());
					if (field == null) {
						return line;
					}
					line = field.getKeyNode().getStartMark().getLine() + 1;
					node = field.getValueNode();
				}
				case SequenceNode sequence when step.getIndex() >= 0 -> node = sequence.getValue().get(step.getIndex());
				default -> {
					return line;
				}
			}
		}
		return line;
	}

	private static @Nullable NodeTuple field(MappingNode mapping, @Nullable String key) {
		return mapping.getValue()
			.stream()
			.filter((field) -> field.getKeyNode() instanceof ScalarNode scalar && scalar.getValue().equals(key))
			.findFirst()
			.orElse(null);
	}

}
