package dev.sluice.sink.client.spool;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** An exclusive lock on a directory, until it is closed or the process ends. */
final class DirectoryLock implements Closeable {

	private final FileChannel file;

	private DirectoryLock(FileChannel file) {
		this.file = file;
	}

	/**
	 * Locks a directory; creates it if it does not exist.
	 * @throws IOException if another process, or this one, has locked it
	 */
	public static DirectoryLock take(Path directory) throws IOException {
		Files.createDirectories(directory);
		FileChannel file = FileChannel.open(directory.resolve("lock"), StandardOpenOption.CREATE,
				StandardOpenOption.WRITE);
		boolean taken = false;
		try {
			taken = file.tryLock() != null;
		}
		catch (OverlappingFileLockException _) {
			// This process has locked it.
		}
		if (!taken) {
			file.close();
			throw new IOException("another process uses it; give each its own directory");
		}
		return new DirectoryLock(file);
	}

	@Override
	public void close() throws IOException {
		this.file.close();
	}

}
