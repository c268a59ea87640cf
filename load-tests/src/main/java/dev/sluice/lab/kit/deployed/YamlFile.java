package dev.sluice.lab.kit.deployed;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Collectors;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
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
 */
public record YamlFile(String name, ObjectNode content) {

	public static final JsonMapper JSON = JsonMapper.builder()
		.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES, DeserializationFeature.ACCEPT_SINGLE_VALUE_AS_ARRAY)
		.disable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
		.enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
		.build();

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it cannot be read, or is not a mapping in YAML
	 */
	public static YamlFile read(Path file) {
		String name = String.valueOf(file.getFileName());
		LoaderOptions options = new LoaderOptions();
		options.setAllowDuplicateKeys(false);
		Yaml yaml = new Yaml(options);
		try {
			if (JSON.valueToTree(yaml.load(Files.readString(file))) instanceof ObjectNode content) {
				return new YamlFile(name, content);
			}
			throw new IllegalArgumentException("%s: must be a mapping: 'key: value' in each line".formatted(name));
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
	 * message names the key
	 */
	public <T> T as(Class<T> type, JsonNode document) {
		try {
			return JSON.treeToValue(document, type);
		}
		catch (DatabindException ex) {
			throw new IllegalArgumentException("%s: %s: %s".formatted(this.name, key(ex), why(ex)), ex);
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

	/** Such as {@code backend.delay}. */
	private static String key(DatabindException ex) {
		return ex.getPath()
			.stream()
			.map(Reference::getPropertyName)
			.filter(Objects::nonNull)
			.collect(Collectors.joining("."));
	}

	/** That the file is not what it should be. */
	public IllegalArgumentException refused(String why) {
		return new IllegalArgumentException("%s: %s".formatted(this.name, why));
	}

}
