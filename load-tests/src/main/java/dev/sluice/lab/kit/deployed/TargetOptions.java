package dev.sluice.lab.kit.deployed;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;

import dev.sluice.lab.kit.deployed.Target.Access;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options of the commands that can measure a deployed system. */
public final class TargetOptions {

	@Option(names = "--target", paramLabel = "FILE|URI,…",
			description = "Measures a deployed system and starts nothing: a target file, or the gateways' base URIs.")
	private @Nullable String target;

	@Option(names = "--token-file", paramLabel = "FILE", description = "With --target: bearer token for the gateways.")
	private @Nullable Path token;

	@Option(names = "--ca", paramLabel = "FILE", description = "With --target: certificates to trust, PEM.")
	private @Nullable Path ca;

	/**
	 * The target.
	 * @param reader reads a target file
	 * @return null if none is given
	 * @throws IllegalArgumentException if it cannot be read, or is missing although an
	 * option needs it
	 */
	public @Nullable Target value(Function<Path, Target> reader) {
		if (this.target == null) {
			if (this.token != null || this.ca != null) {
				throw new IllegalArgumentException("--token-file and --ca need --target");
			}
			return null;
		}
		return with(read(this.target, reader));
	}

	/** A target read elsewhere, with these options, which override its own settings. */
	public Target with(Target read) {
		Access own = read.access();
		return read.with(new Access((this.token != null) ? this.token : own.token(), own.metricsToken(),
				(this.ca != null) ? this.ca : own.ca()));
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
