package dev.sluice.lab.scenario;

import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.Access;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.ScalarNode;

/**
 * Reads a target: a separate file, or the section {@code target} of a scenario. Paths in
 * it are relative to the file.
 */
public final class TargetFile {

	static final String[] KEYS = { "gateways", "metrics", "prometheus", "token-file", "metrics-token-file", "ca",
			"insecure" };

	private TargetFile() {
	}

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if the file is not a target; the message names the
	 * line
	 * @throws IOException if it cannot be read
	 */
	public static Target read(Path file) throws IOException {
		String name = String.valueOf(file.getFileName());
		try (Reader in = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
			Node root = new Yaml(new LoaderOptions()).compose(in);
			if (root == null) {
				throw new IllegalArgumentException(name + ":1: it is empty: a target has gateways");
			}
			return target(new Fields(name, root, KEYS), file);
		}
		catch (ScenarioException ex) {
			throw new IllegalArgumentException(ex.getMessage(), ex);
		}
		catch (MarkedYAMLException ex) {
			throw new IllegalArgumentException(
					"%s:%d: not YAML: %s".formatted(name,
							(ex.getProblemMark() != null) ? ex.getProblemMark().getLine() + 1 : 1, ex.getProblem()),
					ex);
		}
	}

	static Target target(Fields fields, Path file) {
		Map<String, URI> gateways = new LinkedHashMap<>();
		Node list = fields.need("gateways");
		fields.texts(list).forEach((name, value) -> gateways.put(name, uri(fields, list, value)));
		Map<String, String> metrics = fields.take("metrics").map(fields::texts).orElse(Map.of());
		URI prometheus = fields.take("prometheus").map((value) -> uri(fields, value, fields.text(value))).orElse(null);
		boolean insecure = fields.take("insecure")
			.map((value) -> fields.one(value, "true or false", TargetFile::bool))
			.orElse(false);
		try {
			return new Target(gateways, metrics, prometheus,
					new Access(path(fields, "token-file", file).orElse(null),
							path(fields, "metrics-token-file", file).orElse(null),
							path(fields, "ca", file).orElse(null), insecure));
		}
		catch (IllegalArgumentException ex) {
			throw fields.refused(fields.node(), String.valueOf(ex.getMessage()));
		}
	}

	private static URI uri(Fields fields, Node where, String text) {
		try {
			return URI.create(text);
		}
		catch (IllegalArgumentException ex) {
			throw fields.refused(where, "'%s' is not a URI: %s".formatted(text, ex.getMessage()));
		}
	}

	private static Optional<Path> path(Fields fields, String key, Path file) {
		return fields.take(key)
			.filter(ScalarNode.class::isInstance)
			.map((value) -> file.resolveSibling(fields.text(value)));
	}

	private static boolean bool(String text) {
		return switch (text) {
			case "true" -> true;
			case "false" -> false;
			default -> throw new IllegalArgumentException(text);
		};
	}

}
