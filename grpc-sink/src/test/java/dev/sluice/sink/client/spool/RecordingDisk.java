package dev.sluice.sink.client.spool;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;

import dev.sluice.sink.client.spool.FaultyDisk.Operation.Type;

/**
 * A disk that records all writes in order, and creates directories as a crash may leave
 * them. After a loss of power, forced bytes are there; of later writes any blocks may be
 * there, and any later creations and deletions of files may have happened.
 */
final class RecordingDisk extends FaultyDisk {

	private static final int BLOCK = 4_096;

	private final Path root;

	/** The initial content, which is durable. */
	private final Map<Path, byte[]> before = new TreeMap<>();

	private final List<Operation> operations = new ArrayList<>();

	RecordingDisk(Path root) throws IOException {
		this.root = root;
		if (Files.isDirectory(root)) {
			try (Stream<Path> files = Files.walk(root)) {
				for (Path file : files.filter((path) -> path.toString().endsWith(".segment")).toList()) {
					this.before.put(root.relativize(file), Files.readAllBytes(file));
				}
			}
		}
	}

	/** Number of operations so far. */
	synchronized int operations() {
		return this.operations.size();
	}

	@Override
	synchronized void done(Operation operation) {
		this.operations.add(new Operation(operation.type(), this.root.relativize(operation.path()), operation.at(),
				operation.bytes()));
	}

	/**
	 * Creates a directory as it is if the process is killed after this many operations.
	 */
	synchronized void kill(int after, Path to) throws IOException {
		Map<Path, byte[]> files = new TreeMap<>(this.before);
		this.operations.subList(0, after).forEach((operation) -> apply(files, operation));
		write(files, to);
	}

	/** Creates a directory as it may be if the power fails after this many operations. */
	synchronized void cutPower(int after, RandomGenerator random, Path to) throws IOException {
		List<Operation> done = this.operations.subList(0, after);
		Map<Path, Integer> forced = new HashMap<>();
		for (int i = 0; i < after; i++) {
			if (done.get(i).type() == Type.FORCE) {
				forced.put(done.get(i).path(), i);
			}
		}
		Map<Path, byte[]> files = new TreeMap<>(this.before);
		for (int i = 0; i < after; i++) {
			Operation operation = done.get(i);
			boolean ofDirectory = operation.type() == Type.CREATE || operation.type() == Type.DELETE;
			Path of = ofDirectory ? directory(operation.path()) : operation.path();
			boolean durable = forced.getOrDefault(of, -1) > i;
			if (operation.type() == Type.WRITE && !durable) {
				for (Operation block : blocks(operation)) {
					if (random.nextBoolean()) {
						apply(files, block);
					}
					else if (random.nextBoolean()) {
						// Only the file's length is durable.
						lengthen(files, block);
					}
				}
			}
			else if (durable || random.nextBoolean()) {
				apply(files, operation);
			}
		}
		write(files, to);
	}

	private static Path directory(Path file) {
		return (file.getParent() != null) ? file.getParent() : Path.of("");
	}

	private static List<Operation> blocks(Operation write) {
		List<Operation> blocks = new ArrayList<>();
		int from = 0;
		while (from < write.bytes().length) {
			int length = (int) Math.min(write.bytes().length - from, BLOCK - (write.at() + from) % BLOCK);
			blocks.add(new Operation(Type.WRITE, write.path(), write.at() + from,
					Arrays.copyOfRange(write.bytes(), from, from + length)));
			from += length;
		}
		return blocks;
	}

	private static void lengthen(Map<Path, byte[]> files, Operation write) {
		int end = (int) write.at() + write.bytes().length;
		files.computeIfPresent(write.path(),
				(_, content) -> (content.length < end) ? Arrays.copyOf(content, end) : content);
	}

	private static void apply(Map<Path, byte[]> files, Operation operation) {
		switch (operation.type()) {
			case CREATE -> files.putIfAbsent(operation.path(), new byte[0]);
			case DELETE -> files.remove(operation.path());
			case TRUNCATE -> files.computeIfPresent(operation.path(),
					(_, content) -> Arrays.copyOf(content, (int) Math.min(content.length, operation.at())));
			case WRITE -> {
				lengthen(files, operation);
				byte[] content = files.get(operation.path());
				if (content != null) {
					System.arraycopy(operation.bytes(), 0, content, (int) operation.at(), operation.bytes().length);
				}
			}
			case FORCE -> {
			}
		}
	}

	private static void write(Map<Path, byte[]> files, Path to) throws IOException {
		for (Map.Entry<Path, byte[]> file : files.entrySet()) {
			Path path = to.resolve(file.getKey().toString());
			Files.createDirectories(path.getParent());
			Files.write(path, file.getValue());
		}
	}

}
