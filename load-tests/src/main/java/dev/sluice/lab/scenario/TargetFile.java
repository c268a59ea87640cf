package dev.sluice.lab.scenario;

import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;

import dev.sluice.lab.kit.deployed.Target;
import dev.sluice.lab.kit.deployed.Target.Access;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * A target as a file describes it. Paths in it are relative to the file.
 */
@JsonNaming(KebabCaseStrategy.class)
public record TargetFile(Map<String, URI> gateways, Map<String, URI> metrics, @Nullable String tokenFile,
		@Nullable String metricsTokenFile, @Nullable String ca) {

	public TargetFile {
		gateways = Objects.requireNonNullElse(gateways, Map.of());
		metrics = Objects.requireNonNullElse(metrics, Map.of());
	}

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it cannot be read or is not a target
	 */
	public static Target read(Path file) {
		YamlFile yaml = YamlFile.read(file);
		TargetFile read = yaml.as(TargetFile.class, yaml.content());
		return new Target(read.gateways(), read.metrics(), new Access(beside(file, read.tokenFile()),
				beside(file, read.metricsTokenFile()), beside(file, read.ca())));
	}

	private static @Nullable Path beside(Path file, @Nullable String other) {
		return (other != null) ? file.resolveSibling(other) : null;
	}

}
