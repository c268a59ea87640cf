package dev.sluice.lab.scenario;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.Access;
import org.jspecify.annotations.Nullable;
import org.yaml.snakeyaml.nodes.Node;

/**
 * Reads a target: a separate file, or the section {@code target} of a scenario. Paths in
 * it are relative to the file.
 */
public final class TargetFile {

	static final String[] KEYS = { "gateways", "metrics", "prometheus", "token-file", "metrics-token-file", "ca" };

	private TargetFile() {
	}

	/**
	 * Reads a file.
	 * @throws ScenarioException if the file is not a target; the message names the line
	 * @throws IOException if it cannot be read
	 */
	public static Target read(Path file) throws IOException {
		return target(Fields.of(file, KEYS), file);
	}

	static Target target(Fields fields, Path file) {
		Map<String, URI> gateways = new LinkedHashMap<>();
		Node list = fields.need("gateways");
		fields.texts(list).forEach((name, value) -> gateways.put(name, uri(fields, list, value)));
		Map<String, String> metrics = fields.take("metrics").map(fields::texts).orElse(Map.of());
		URI prometheus = fields.take("prometheus").map((value) -> uri(fields, value, fields.text(value))).orElse(null);
		Path token = path(fields, "token-file", file);
		Path metricsToken = path(fields, "metrics-token-file", file);
		Path ca = path(fields, "ca", file);
		try {
			return new Target(gateways, metrics, prometheus, new Access(token, metricsToken, ca));
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

	private static @Nullable Path path(Fields fields, String key, Path file) {
		return fields.take(key).map((value) -> file.resolveSibling(fields.text(value))).orElse(null);
	}

}
