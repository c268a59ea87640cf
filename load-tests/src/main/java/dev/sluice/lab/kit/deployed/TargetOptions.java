package dev.sluice.lab.kit.deployed;

import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that can measure a deployed system. */
public final class TargetOptions {

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
