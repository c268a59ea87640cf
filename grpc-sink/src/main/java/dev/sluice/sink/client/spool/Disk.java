package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Opens and deletes the files of a directory of segments. Usually
 * {@link FileChannel#open}; in tests a disk that fails.
 */
@FunctionalInterface
interface Disk {

	/** Opens a file. */
	FileChannel open(Path file, OpenOption... options) throws IOException;

	/** Deletes a file if it exists. */
	default void delete(Path file) throws IOException {
		Files.deleteIfExists(file);
	}

	/**
	 * Makes the directory's list of files durable. Does nothing on Windows, which cannot
	 * open directories.
	 */
	default void forceDirectory(Path directory) throws IOException {
		try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
			channel.force(true);
		}
		catch (AccessDeniedException ex) {
			if (!System.getProperty("os.name").startsWith("Windows")) {
				throw ex;
			}
		}
	}

}
