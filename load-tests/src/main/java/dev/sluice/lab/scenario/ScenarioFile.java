package dev.sluice.lab.scenario;

import java.nio.file.Path;
import java.util.stream.Stream;

import dev.sluice.contract.BackendBehaviour;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a {@link Scenario} from YAML. The documentation describes every field. Unknown
 * keys and values out of range are refused, with the line and what is allowed.
 */
public final class ScenarioFile {

	/** What a file leaves out. */
	private static final String DEFAULTS = """
			{"services": {"gateways": ["servlet-platform", "servlet-virtual", "servlet-async", "reactive"],
			  "heap": "768m", "collector": "G1", "delivery-concurrency": 50},
			"load": {"modes": ["sync", "queued"], "orders": [], "rates": [], "seconds": 0, "in-flight": 1000, "items": 2,
			  "deadline-seconds": 60, "repetitions": 1},
			"limits": {}}
			""";

	private ScenarioFile() {
	}

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it cannot be read or is not a scenario
	 */
	public static Scenario read(Path file) {
		YamlFile yaml = YamlFile.read(file);
		ObjectNode document = (ObjectNode) YamlFile.JSON.readTree(DEFAULTS);
		document.set("backend", YamlFile.JSON.valueToTree(BackendBehaviour.DEFAULT));
		yaml.content().properties().forEach((section) -> {
			if (document.get(section.getKey()) instanceof ObjectNode defaults
					&& section.getValue() instanceof ObjectNode own) {
				defaults.setAll(own);
			}
			else {
				document.set(section.getKey(), section.getValue());
			}
		});
		// Unknown keys are refused first: what is missing may be misspelt.
		Scenario scenario = yaml.as(Scenario.class, document);
		if (!document.has("question")) {
			throw yaml.refused("question", "'question' is missing");
		}
		if (scenario.load().orders().isEmpty() == scenario.load().rates().isEmpty()) {
			throw yaml.refused("load",
					"'load' has either 'orders', as [10, 1000], or 'rates' per second, as [50], with 'seconds'");
		}
		if (scenario.target() != null) {
			refuse(yaml, scenario);
		}
		return scenario;
	}

	/** Refuses what only a system that the lab starts can have. */
	private static void refuse(YamlFile yaml, Scenario scenario) {
		if (yaml.content().has("backend") || yaml.content().has("services")) {
			throw yaml.refused("target", "a target is measured as it is: leave out 'backend' and 'services'");
		}
		if (scenario.load().rates().isEmpty()) {
			throw yaml.refused("load", "a target gets 'rates', as [50], with 'seconds', and not 'orders'");
		}
		if (Stream.of("in-flight", "items", "deadline-seconds").anyMatch(yaml.content().path("load")::has)) {
			throw yaml.refused("load",
					"a target gets its orders by the clock: leave out 'in-flight', 'items' and 'deadline-seconds'");
		}
	}

	/** A scenario's name: that of its file without the extension. */
	public static String name(Path file) {
		return String.valueOf(file.getFileName()).replaceFirst("\\.ya?ml$", "");
	}

}
