package dev.sluice.lab.kit.deployed;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that can measure a deployed system. */
public final class TargetOptions {

	@Option(names = "--target", paramLabel = "FILE|URI,…",
			description = "Measures a deployed system and starts nothing: a target file, or the gateways' base URIs.")
	private @Nullable String target;

	/**
	 * The target.
	 * @param reader reads a target file
	 * @return null if none is given
	 * @throws IllegalArgumentException if it cannot be read
	 */
	public @Nullable Target value(Function<Path, Target> reader) {
		return (this.target != null) ? read(this.target, reader) : null;
	}

	private static Target read(String text, Function<Path, Target> reader) {
		if (text.matches("https?://.*")) {
			return Target.of(text);
		}
		Path file = Path.of(text);
		if (!Files.exists(file)) {
			throw new IllegalArgumentException(
					"--target '%s' is not a file; a gateway's URI begins with http".formatted(text));
		}
		return reader.apply(file);
	}

}
