package dev.sluice.lab.kit.jvm;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where a JVM's flight recorder keeps what it has recorded until the JVM ends in good
 * order, leaves its recording and removes this. Of one that was killed or ran out of
 * memory it is all there is, and lacks a second at most: so often the recorder flushes.
 *
 * @param directory the JVM's own, which it makes
 */
public record JfrRepository(Path directory) {

	/** Where a chunk's header has its length in bytes up to the last flush. */
	private static final int LENGTH_OFFSET = 8;

	/** Where it has 0 once the chunk is complete, else the number of flushes. */
	private static final int STATE_OFFSET = 64;

	/** Up to the end of the state and the flags behind it. */
	private static final int HEADER_LENGTH = 68;

	/** What makes a JVM keep it there. */
	public String jvmArg() {
		return "-XX:FlightRecorderOptions=repository=" + this.directory;
	}

	/**
	 * Makes a recording of what was left behind. A reader waits for the end of a chunk
	 * that is not marked complete, and the JDK's {@code jfr assemble} leaves it so; here
	 * it is marked.
	 * @param recording is written, unless there is nothing
	 * @return whether there was anything
	 * @throws IOException if it cannot be read or written
	 */
	public boolean assemble(Path recording) throws IOException {
		// In directories and files that are named after their time.
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
					// It ended before the first flush.
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

	/** With all that is in it, by name, a directory before what it holds. */
	private List<Path> files() throws IOException {
		if (!Files.isDirectory(this.directory)) {
			return List.of();
		}
		try (Stream<Path> files = Files.walk(this.directory)) {
			return files.sorted().toList();
		}
	}

}
