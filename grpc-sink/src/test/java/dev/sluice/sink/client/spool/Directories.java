package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** Copies, measures and deletes a spool's directory, also while it is open. */
final class Directories {

	private Directories() {
	}

	static void copy(Path from, Path to) throws IOException {
		for (Path path : paths(from)) {
			Path copy = to.resolve(from.relativize(path).toString());
			if (Files.isDirectory(path)) {
				Files.createDirectories(copy);
			}
			else {
				Files.copy(path, copy);
			}
		}
	}

	static void delete(Path directory) throws IOException {
		for (Path path : paths(directory).reversed()) {
			Files.delete(path);
		}
	}

	/** Total size of its files. */
	static long bytes(Path directory) throws IOException {
		long bytes = 0;
		for (Path path : paths(directory)) {
			bytes += Files.isRegularFile(path) ? Files.size(path) : 0;
		}
		return bytes;
	}

	/** Segments of messages, in order. */
	static List<Path> segments(Path spool) throws IOException {
		try (Stream<Path> files = Files.list(spool)) {
			return files.filter((file) -> file.toString().endsWith(".segment")).sorted().toList();
		}
	}

	private static List<Path> paths(Path directory) throws IOException {
		try (Stream<Path> paths = Files.walk(directory)) {
			return paths.sorted(Comparator.naturalOrder()).toList();
		}
	}

}
