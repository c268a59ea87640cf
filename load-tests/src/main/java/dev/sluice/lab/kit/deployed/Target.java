package dev.sluice.lab.kit.deployed;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import tools.jackson.databind.PropertyNamingStrategies.KebabCaseStrategy;
import tools.jackson.databind.annotation.JsonNaming;

/**
 * A deployed system. The lab puts load on it and watches it, but does not start or change
 * it.
 *
 * @param gateways base URIs by name, in the order they are measured; at least one
 * @param metrics Prometheus endpoint of each service; the key of a gateway is its name
 * @param access credentials and trusted certificates
 */
public record Target(Map<String, URI> gateways, Map<String, URI> metrics, Access access) {

	/** The consumer's name in {@link #metrics}. */
	public static final String CONSUMER = "consumer";

	/**
	 * Credentials and trusted certificates.
	 *
	 * @param token file with the bearer token for the gateways; null to send none
	 * @param metricsToken file with the bearer token for metrics, which is sent nowhere
	 * else; null to send none
	 * @param ca PEM file with the certificates to trust; null for the JDK's
	 */
	public record Access(@Nullable Path token, @Nullable Path metricsToken, @Nullable Path ca) {

		public static final Access OPEN = new Access(null, null, null);

	}

	/** Options of the commands that can measure a deployed system. */
	public static final class TargetOptions {

		@Option(names = "--target", paramLabel = "FILE|URI,…",
				description = "Measures a deployed system and starts nothing: a target file, or the gateways' base URIs.")
		private @Nullable String target;

		/**
		 * The target.
		 * @return null if none is given
		 * @throws IllegalArgumentException if it cannot be read
		 */
		public @Nullable Target value() {
			if (this.target == null) {
				return null;
			}
			if (this.target.matches("https?://.*")) {
				return Target.of(this.target);
			}
			Path file = Path.of(this.target);
			if (!Files.exists(file)) {
				throw new IllegalArgumentException(
						"--target '%s' is not a file; a gateway's URI begins with http".formatted(this.target));
			}
			return Target.read(file);
		}

	}

	/**
	 * @throws IllegalArgumentException if a value is invalid; the message says why
	 */
	public Target {
		gateways = new LinkedHashMap<>(gateways);
		metrics = new LinkedHashMap<>(metrics);
		if (gateways.isEmpty()) {
			throw new IllegalArgumentException("a target has at least one gateway");
		}
		gateways.forEach((name, uri) -> base("gateway " + name, uri));
		metrics.forEach((service, uri) -> http("metrics of " + service, uri));
	}

	/** A target as a file describes it. Paths in it are relative to the file. */
	@JsonNaming(KebabCaseStrategy.class)
	record Content(@Nullable Map<String, URI> gateways, @Nullable Map<String, URI> metrics, @Nullable String tokenFile,
			@Nullable String metricsTokenFile, @Nullable String ca) {
	}

	/**
	 * Reads a file.
	 * @throws IllegalArgumentException if it cannot be read or is not a target
	 */
	public static Target read(Path file) {
		YamlFile yaml = YamlFile.read(file);
		Content read = yaml.as(Content.class, yaml.content());
		return new Target(Objects.requireNonNullElse(read.gateways(), Map.of()),
				Objects.requireNonNullElse(read.metrics(), Map.of()), new Access(beside(file, read.tokenFile()),
						beside(file, read.metricsTokenFile()), beside(file, read.ca())));
	}

	private static @Nullable Path beside(Path file, @Nullable String other) {
		return (other != null) ? file.resolveSibling(other) : null;
	}

	/**
	 * A target with gateways only, each named by its host and port.
	 * @param uris as {@code http://host:8080}, separated by commas
	 * @throws IllegalArgumentException if one is not a base URI
	 */
	public static Target of(String uris) {
		Map<String, URI> gateways = new LinkedHashMap<>();
		for (String text : uris.split(",")) {
			URI uri = URI.create(text.strip());
			gateways.put(String.valueOf(uri.getAuthority()), uri);
		}
		return new Target(gateways, Map.of(), Access.OPEN);
	}

	/** Notes on it for the report: name to value. */
	public Map<String, String> notes() {
		Map<String, String> notes = new LinkedHashMap<>();
		notes.put("target", listed(this.gateways) + "; deployed, neither started nor changed by the lab");
		notes.put("target's metrics", this.metrics.isEmpty() ? "none" : listed(this.metrics));
		return notes;
	}

	private static String listed(Map<String, URI> uris) {
		return uris.entrySet()
			.stream()
			.map((service) -> service.getKey() + " " + service.getValue())
			.collect(Collectors.joining(", "));
	}

	private static void base(String what, URI uri) {
		http(what, uri);
		if (!Objects.requireNonNullElse(uri.getPath(), "").matches("/?") || uri.getQuery() != null) {
			throw new IllegalArgumentException(
					"%s: '%s' has a path: name its root, as http://host:8080".formatted(what, uri));
		}
	}

	private static void http(String what, URI uri) {
		if (!List.of("http", "https").contains(String.valueOf(uri.getScheme())) || uri.getHost() == null) {
			throw new IllegalArgumentException("%s: '%s' is not like http://host:8080".formatted(what, uri));
		}
		if (uri.getUserInfo() != null) {
			throw new IllegalArgumentException(
					"%s: a password has no place in a URI: use a token file".formatted(what));
		}
	}

}
