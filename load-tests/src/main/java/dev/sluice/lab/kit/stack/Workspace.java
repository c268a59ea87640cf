package dev.sluice.lab.kit.stack;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/**
 * The checkout that the lab runs in, with the services' jars.
 *
 * @param root where the parent {@code pom.xml} is
 */
public record Workspace(Path root) {

	/**
	 * The checkout that contains this program's classes, else the one around the current
	 * directory.
	 * @throws LabException if there is none
	 */
	public static Workspace find() {
		return Stream.of(ownLocation(), Path.of("").toAbsolutePath())
			.flatMap(Workspace::withParents)
			.filter((directory) -> Files.isRegularFile(directory.resolve("order-contract/pom.xml")))
			.findFirst()
			.map(Workspace::new)
			.orElseThrow(() -> new LabException("no checkout of Sluice here: run ./lab in one"));
	}

	/** The path of a module's jar, built or not. */
	public Path jar(Module module) {
		return this.root.resolve(module.directory()).resolve("target").resolve(module.directory() + ".jar");
	}

	private static Path ownLocation() {
		try {
			return Path.of(Workspace.class.getProtectionDomain().getCodeSource().getLocation().toURI());
		}
		catch (URISyntaxException ex) {
			throw new IllegalStateException("cannot find out where this program lies", ex);
		}
	}

	private static Stream<Path> withParents(Path path) {
		try {
			return Stream.iterate(path.toRealPath(), (directory) -> directory != null, Path::getParent);
		}
		catch (IOException ex) {
			throw new UncheckedIOException("cannot read " + path, ex);
		}
	}

}
