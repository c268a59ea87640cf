package dev.sluice.lab.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.ProviderNotFoundException;
import java.util.List;
import java.util.stream.Stream;

/**
 * A ZIP archive of a run's directory, read in place: nothing is extracted, so no name in
 * it can escape. It may come from anybody, so its number of files and their sizes are
 * bounded, and no file may be longer than its entry says.
 */
final class RunArchive {

	/** A run of three hours leaves some hundred files and 2 GB. */
	private static final int MAX_FILES = 10_000;

	private static final long MAX_BYTES = 8L << 30;

	private static final int BUFFER = 1 << 16;

	private RunArchive() {
	}

	/**
	 * Opens an archive.
	 * @param zip the archive
	 * @return its files, to be closed
	 * @throws IOException if it is not a ZIP archive, is damaged, or holds more than a
	 * run can
	 */
	static FileSystem open(Path zip) throws IOException {
		FileSystem files;
		try {
			files = FileSystems.newFileSystem(zip);
		}
		catch (ProviderNotFoundException | IllegalArgumentException ex) {
			throw new IOException("it is not a ZIP archive of a run", ex);
		}
		try {
			check(files.getPath("/"));
			return files;
		}
		catch (IOException ex) {
			files.close();
			throw ex;
		}
	}

	private static void check(Path root) throws IOException {
		try (Stream<Path> walk = Files.walk(root)) {
			List<Path> files = walk.filter(Files::isRegularFile).limit(MAX_FILES + 1).toList();
			if (files.size() > MAX_FILES) {
				throw new IOException("it has more than %,d files, which no run has".formatted(MAX_FILES));
			}
			long bytes = 0;
			for (Path file : files) {
				bytes += Files.size(file);
			}
			if (bytes > MAX_BYTES) {
				throw new IOException("its files are more than %,d MB, which no run has".formatted(MAX_BYTES >> 20));
			}
			for (Path file : files) {
				checkLength(file);
			}
		}
	}

	/**
	 * Reads the file, since the size in its entry may be wrong. Does not skip: a stream
	 * of a file that is stored without compression loses its position.
	 */
	private static void checkLength(Path file) throws IOException {
		long left = Files.size(file);
		byte[] buffer = new byte[BUFFER];
		try (InputStream in = Files.newInputStream(file)) {
			for (int read = in.read(buffer); read >= 0 && left >= 0; read = in.read(buffer)) {
				left -= read;
			}
		}
		if (left != 0) {
			throw new IOException("%s is %s than its entry says".formatted(file, (left < 0) ? "longer" : "shorter"));
		}
	}

}
