package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The directory in which a JVM's flight recorder keeps its data until the JVM exits
 * normally, writes its recording and removes the directory. If the JVM is killed or runs
 * out of memory, this is all that is left. It lacks at most the last second, because the
 * recorder flushes once a second.
 *
 * @param directory created by the JVM and not shared
 */
public record JfrRepository(Path directory) {

	/** Offset, in a chunk's header, of its length in bytes up to the last flush. */
	private static final int LENGTH_OFFSET = 8;

	/** Offset of its state: 0 once the chunk is complete, else the number of flushes. */
	private static final int STATE_OFFSET = 64;

	/** Includes the state and the flags after it. */
	private static final int HEADER_LENGTH = 68;

	/** The JVM option that sets this directory. */
	public String jvmArg() {
		return "-XX:FlightRecorderOptions=repository=" + this.directory;
	}

	/**
	 * Makes a recording from the chunks left behind. A reader waits for the end of a
	 * chunk that is not marked complete, and the JDK's {@code jfr assemble} does not mark
	 * it; this method does.
	 * @param recording the file to write if there are chunks
	 * @return whether the recording has data
	 * @throws IOException if it cannot be read or written
	 */
	public boolean assemble(Path recording) throws IOException {
		// Directories and files are named after their time and sort by it.
		List<Path> chunks = files().stream().filter((file) -> file.toString().endsWith(".jfr")).toList();
		if (chunks.isEmpty()) {
			return false;
		}
		try (OutputStream out = Files.newOutputStream(recording)) {
			for (Path chunk : chunks) {
				// At most 12 MB, the recorder's default.
				byte[] bytes = Files.readAllBytes(chunk);
				ByteBuffer header = ByteBuffer.wrap(bytes);
				if (bytes.length < HEADER_LENGTH || header.getLong(LENGTH_OFFSET) < HEADER_LENGTH) {
					// The JVM ended before the first flush.
					continue;
				}
				bytes[STATE_OFFSET] = 0;
				out.write(bytes, 0, (int) Math.min(bytes.length, header.getLong(LENGTH_OFFSET)));
			}
		}
		return Files.size(recording) > 0;
	}

	/**
	 * Removes what is left of it, if anything.
	 * @throws IOException if something cannot be removed
	 */
	public void remove() throws IOException {
		for (Path file : files().reversed()) {
			Files.delete(file);
		}
	}

	/**
	 * The directory and all that is in it, by name, each directory before its content.
	 */
	private List<Path> files() throws IOException {
		if (!Files.isDirectory(this.directory)) {
			return List.of();
		}
		try (Stream<Path> files = Files.walk(this.directory)) {
			return files.sorted().toList();
		}
	}

}
