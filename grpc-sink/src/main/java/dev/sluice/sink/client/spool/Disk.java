package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Opens, deletes and locks the files of a directory of segments. Usually
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
	 * Creates a directory if it does not exist, and locks it until the returned channel
	 * is closed or the process ends.
	 * @throws IOException if another process, or this one, has locked it
	 */
	default FileChannel lock(Path directory) throws IOException {
		Files.createDirectories(directory);
		FileChannel file = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		boolean locked = false;
		try {
			locked = file.tryLock() != null;
		}
		catch (OverlappingFileLockException _) {
			// This process has locked it.
		}
		if (!locked) {
			file.close();
			throw new IOException("another process uses it; give each its own directory");
		}
		return file;
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
