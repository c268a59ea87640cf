package dev.sluice.lab.scenario;

import java.nio.file.Path;

import dev.sluice.contract.BackendBehaviour;
import dev.sluice.lab.kit.deployed.YamlFile;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads a {@link Scenario} from YAML. The documentation describes every field. Unknown
 * keys and values out of range are refused, with the key and what is allowed.
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
			throw yaml.refused("'question' is missing");
		}
		if (scenario.load().orders().isEmpty() == scenario.load().rates().isEmpty()) {
			throw yaml
				.refused("'load' has either 'orders', as [10, 1000], or 'rates' per second, as [50], with 'seconds'");
		}
		return scenario;
	}

	/** A scenario's name: that of its file without the extension. */
	public static String name(Path file) {
		return String.valueOf(file.getFileName()).replaceFirst("\\.ya?ml$", "");
	}

}
